// SPDX-License-Identifier: BSD-3-Clause
#include "problems/problems.hpp"

namespace daedal::problems {

Model ascher_lin_line(double shift, bool is_singular_constraint) {
  ModelBuilder b("AscherLin");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1", {.start = 1.0, .fixed = true});
  const Expr x2 = b.variable("x2", {.start = 0.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr factor = 1 - 2 * (t + shift);
  b.equation(der(x1) == -x1 + x2 - sin(t));
  b.equation(der(x2) == factor * y);
  const Expr line = x1 + x2 - exp(-t) - sin(t);
  b.equation((is_singular_constraint ? factor * line : line) == 0, "line");
  return b.build();
}

Model ascher_lin_comparison() {
  ModelBuilder b("AscherLinComparison");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1", {.start = 1.0, .fixed = true});
  const Expr x2 = b.variable("x2", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr c1 = t - 0.5, c2 = t * t - 0.25;
  // x₁ = x₂ = y = eᵗ: q = (1 − c)eᵗ, r = −(c₁ + c₂)eᵗ.
  b.equation(der(x1) == c1 * y + (1 - c1) * exp(t));
  b.equation(der(x2) == c2 * y + (1 - c2) * exp(t));
  b.equation(c1 * x1 + c2 * x2 - (c1 + c2) * exp(t) == 0, "line");
  return b.build();
}

}  // namespace daedal::problems
