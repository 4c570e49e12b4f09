// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/singular/bifurcation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// Singular values and second-order terms below this count as zero at a located position.
constexpr double located_tolerance = 1e-3;
constexpr std::size_t most_names = 8;

/// The two directions c, s with a c² + 2 b c s + d s² = 0; none when the form is definite.
std::vector<Vector> null_directions(const Matrix& form) {
  const double a = form(0, 0), b = form(0, 1), d = form(1, 1);
  const double root = b * b - a * d;
  if (root <= 0.0) return {};
  std::vector<Vector> result;
  for (const double sign : {1.0, -1.0}) {
    Vector v(2);
    // The better conditioned of (−b ± √root, a) and (d, −b ∓ √root).
    if (std::abs(-b + sign * std::sqrt(root)) + std::abs(a) >
        std::abs(d) + std::abs(-b - sign * std::sqrt(root))) {
      v << -b + sign * std::sqrt(root), a;
    } else {
      v << d, -b - sign * std::sqrt(root);
    }
    result.push_back(v);
  }
  return result;
}

/// The curvature of the constraints: D g_qq(v, v) at one position.
class Curvature {
 public:
  Curvature(const Mechanics& mechanics, const MechanicalPoint& at, std::span<const double> scale,
            MechanicalRun& run)
      : mechanics_(mechanics), at_(at), scale_(scale), run_(run), velocity_(at.v.size()) {}

  /// By polarisation of z, whose other terms are even or constant in v.
  Vector operator()(const Vector& v) {
    Vector sum = Vector::Zero(mechanics_.m());
    for (const double sign : {1.0, -1.0, 0.0}) {
      for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = sign * v(to_index(i));
      const auto z = mechanics_.dynamics({at_.t, at_.q, velocity_}, run_).curvature;
      sum += (sign == 0.0 ? -1.0 : 0.5) * as_vector(z);
    }
    for (Index i = 0; i < sum.size(); ++i) sum(i) *= scale_[to_size(i)];
    return sum;
  }

  /// uᵀ D g_qq on the span of `tangents`.
  Matrix form(const Vector& u, const Matrix& tangents) {
    const Index k = tangents.cols();
    Matrix result(k, k);
    for (Index i = 0; i < k; ++i) {
      for (Index j = i; j < k; ++j) {
        const Vector both = (*this)(tangents.col(i) + tangents.col(j));
        const Vector apart = (*this)(tangents.col(i) - tangents.col(j));
        result(i, j) = result(j, i) = u.dot(both - apart) / 4.0;
      }
    }
    return result;
  }

 private:
  const Mechanics& mechanics_;
  MechanicalPoint at_;
  std::span<const double> scale_;
  MechanicalRun& run_;
  std::vector<double> velocity_;
};

}  // namespace

SingularPosition classify_position(const Mechanics& mechanics, const MechanicalPoint& at,
                                   std::span<const double> row_scale, MechanicalRun& run) {
  const Index m = mechanics.m(), n = mechanics.n();
  std::vector<double> residual(to_size(m)), values(mechanics.jacobian_pattern().row.size());
  SingularPosition found;
  if (!mechanics.position_level(at, run, residual, values)) return found;
  Matrix jacobian = Matrix::Zero(m, n);
  scatter(mechanics.jacobian_pattern(), values, jacobian);
  for (Index i = 0; i < m; ++i) jacobian.row(i) *= row_scale[to_size(i)];
  const linalg::Svd svd = linalg::svd(jacobian);
  for (Index k = 0; k < svd.s.size(); ++k) {
    if (svd.s(k) > located_tolerance) ++found.rank;
  }
  const Matrix tangents = svd.v.rightCols(n - found.rank);
  found.n_tangents = tangents.cols();
  Curvature curvature(mechanics, at, row_scale, run);
  Matrix greatest = Matrix::Zero(tangents.cols(), tangents.cols());
  for (Index u = found.rank; u < m; ++u) {
    const Matrix form = curvature.form(svd.u.col(u), tangents);
    if (form.norm() > greatest.norm()) greatest = form;
  }
  if (greatest.norm() <= located_tolerance) return found;
  found.kind = SingularPosition::Kind::bifurcation;
  if (tangents.cols() != 2) return found;
  for (const Vector& pair : null_directions(greatest)) found.branches.emplace_back(tangents * pair);
  if (found.branches.empty()) found.kind = SingularPosition::Kind::isolated;
  return found;
}

std::string describe(const SingularPosition& position, const Mechanics& mechanics) {
  using Kind = SingularPosition::Kind;
  if (position.kind == Kind::smooth) {
    return "; the dependence is one of first and second order, and the motion passes smoothly.";
  }
  if (position.kind == Kind::isolated) {
    return "; it is an isolated position, which the constraints do not let the motion leave: what "
           "follows is not to be trusted.";
  }
  if (position.branches.empty()) {
    return fmt::format(
        "; it is a bifurcation with {} directions of motion to first order. The run continued on "
        "the smooth branch.",
        position.n_tangents);
  }
  std::string branches;
  for (const Vector& direction : position.branches) {
    Index at = 0;
    direction.cwiseAbs().maxCoeff(&at);
    const double largest = direction(at);
    std::vector<std::string> parts;
    for (Index i = 0; i < direction.size(); ++i) {
      const double share = direction(i) / largest;
      if (std::abs(share) < located_tolerance) continue;
      parts.push_back(fmt::format("{} {:+.4g}", mechanics.coordinate_name(i), share));
    }
    branches += (branches.empty() ? "(" : ", (") + join_words(parts, most_names) + ")";
  }
  return "; it is a bifurcation, with branches along " + branches +
         ". The run continued on the smooth branch.";
}

}  // namespace daedal::formulation
