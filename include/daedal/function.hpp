// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of one number that expressions can call: code of the user with its derivatives, or
/// points.
///
///     Function drag = b.function("drag", [](double v) { return v * std::abs(v); },
///                                [](double v) { return 2 * std::abs(v); });
///     Function curve = spline("curve", {0, 1, 2, 4}, {0, 0.5, 0.7, 0.8});
///     b.equation(m * der(v) == curve(u) - drag(v));
///
/// A function depends on its argument alone and may be called by several threads. Where it has no
/// value it returns NaN; what it throws ends the run and is passed on. Implicit methods need the
/// first derivative, and models of higher index one more for every time that they differentiate
/// the equation: a model that needs more than were given is refused with the order.

#include <daedal/expr.hpp>
#include <functional>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

class DAEDAL_EXPORT Function {
 public:
  using Real = std::function<double(double)>;
  /// f, f', f'', ...: as many as there are. It is kept until the program ends.
  Function(std::string name, std::vector<Real> f_and_derivatives);

  [[nodiscard]] Expr operator()(Expr x) const;

 private:
  double number_;
};

/// The cubic spline through points of ascending x, straight beyond the first and the last. It has
/// two derivatives. Throws OptionError for points that are none.
DAEDAL_EXPORT Function spline(std::string name, std::vector<double> x, std::vector<double> y);

}  // namespace daedal
