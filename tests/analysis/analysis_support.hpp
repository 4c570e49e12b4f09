// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Small constraint sets and pencils for the tests of the analysis layer.

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/index_check.hpp"
#include "analysis/initial/initializer.hpp"

namespace daedal::analysis::test {

/// Equations with a dense Jacobian, both as lambdas.
class DenseSet final : public ConstraintSet {
 public:
  using Residual = std::function<Vector(const Vector&)>;
  using Jacobian = std::function<Matrix(const Vector&)>;

  DenseSet(Index n_equations, std::vector<std::string> unknowns, Residual residual,
           Jacobian jacobian)
      : names_(std::move(unknowns)),
        residual_(std::move(residual)),
        jacobian_(std::move(jacobian)) {
    pattern_.rows = n_equations;
    pattern_.columns = to_index(names_.size());
    pattern_.column_start.push_back(0);
    for (Index j = 0; j < pattern_.columns; ++j) {
      for (Index i = 0; i < n_equations; ++i) pattern_.row.push_back(i);
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }

  [[nodiscard]] Index n_unknowns() const override { return pattern_.columns; }
  [[nodiscard]] Index n_equations() const override { return pattern_.rows; }
  Index residual(std::span<const double> u, std::span<double> values) override {
    const Vector r = residual_(as_vector(u));
    as_vector(values) = r;
    for (Index i = 0; i < r.size(); ++i)
      if (!std::isfinite(r[i])) return i;
    return -1;
  }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    const Matrix j = jacobian_(as_vector(u));
    for (Index p = 0; p < pattern_.nonzeros(); ++p) {
      values[to_size(p)] = j.data()[p];
      if (!std::isfinite(j.data()[p])) return p % pattern_.rows;
    }
    return -1;
  }
  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    return names_[to_size(unknown)];
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    return "e" + std::to_string(equation + 1);
  }

 private:
  SparsityPattern pattern_;
  std::vector<std::string> names_;
  Residual residual_;
  Jacobian jacobian_;
};

/// A x = b.
inline DenseSet linear_set(const Matrix& a, const Vector& b, std::vector<std::string> unknowns) {
  return {a.rows(), std::move(unknowns), [a, b](const Vector& u) { return Vector(a * u - b); },
          [a](const Vector&) { return a; }};
}

inline Matrix matrix(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix m(to_index(rows.size()), to_index(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const double entry : row) m(i, j++) = entry;
    ++i;
  }
  return m;
}

inline Vector vector(std::initializer_list<double> parts) {
  Vector v(to_index(parts.size()));
  Index i = 0;
  for (const double part : parts) v[i++] = part;
  return v;
}

/// A pencil A + cE with the union of both patterns.
class TestPencil {
 public:
  TestPencil(const Matrix& a, const Matrix& e) {
    pattern_.rows = pattern_.columns = a.rows();
    pattern_.column_start.push_back(0);
    for (Index j = 0; j < a.cols(); ++j) {
      for (Index i = 0; i < a.rows(); ++i) {
        if (a(i, j) == 0.0 && e(i, j) == 0.0) continue;
        pattern_.row.push_back(i);
        a_.push_back(a(i, j));
        e_.push_back(e(i, j));
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }
  [[nodiscard]] Pencil get() const { return {pattern_, a_, e_}; }

 private:
  SparsityPattern pattern_;
  std::vector<double> a_;
  std::vector<double> e_;
};

}  // namespace daedal::analysis::test
