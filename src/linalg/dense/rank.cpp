// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/rank.hpp"

#include <Eigen/SVD>
#include <cmath>

#include "linalg/dense/one_sided_jacobi.hpp"
#include "linalg/dense/qr.hpp"

namespace daedal::linalg {

namespace {

/// The gap between the singular values kept and dropped: a clear decision needs three decades, a
/// certain one six. Chosen, not derived.
constexpr double clear_gap = 1e3;
constexpr double certain_gap = 1e6;
/// How far both ends of the gap are from the tolerance in such decisions.
constexpr double clear_distance = 10.0;
constexpr double certain_distance = 1e3;

}  // namespace

double RankDecision::gap() const {
  return largest_dropped == 0.0 ? infinity : smallest_kept / largest_dropped;
}

bool RankDecision::is_clear() const {
  return std::isfinite(largest) && gap() >= clear_gap;
}

Confidence RankDecision::confidence(double relative_tolerance) const {
  const double tolerance = relative_tolerance * largest;
  const auto holds = [&](double least_gap, double distance) {
    return std::isfinite(largest) && gap() >= least_gap && smallest_kept >= distance * tolerance &&
           largest_dropped * distance <= tolerance;
  };
  if (holds(certain_gap, certain_distance)) return Confidence::certain;
  return holds(clear_gap, clear_distance) ? Confidence::clear : Confidence::weak;
}

std::string_view to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::certain:
      return "certain";
    case Confidence::clear:
      return "clear";
    case Confidence::weak:
      break;
  }
  return "weak";
}

Svd svd(const Matrix& a) {
  const Eigen::Index m = a.rows();
  const Eigen::Index n = a.cols();
  if (a.size() == 0) return {Matrix::Identity(m, m), Vector(0), Matrix::Identity(n, n)};
  if (!a.allFinite()) {
    return {Matrix::Constant(m, m, not_a_number), Vector::Constant(std::min(m, n), not_a_number),
            Matrix::Constant(n, n, not_a_number)};
  }
  const Eigen::JacobiSVD<Matrix> decomposition(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {decomposition.matrixU(), decomposition.singularValues(), decomposition.matrixV()};
}

RankDecision decide_rank(const Vector& singular_values, double relative_tolerance) {
  RankDecision decision;
  decision.smallest_kept = infinity;
  if (singular_values.size() == 0) return decision;
  decision.largest = singular_values.allFinite() ? singular_values(0) : not_a_number;
  for (const double s : singular_values) {
    // Descending order is a promise of the caller; NaN stops here too.
    if (!(s > relative_tolerance * decision.largest)) {
      decision.largest_dropped = s;
      break;
    }
    ++decision.rank;
    decision.smallest_kept = s;
  }
  return decision;
}

RankDecision decide_rank(const Matrix& a, double relative_tolerance) {
  if (a.size() == 0) return decide_rank(Vector(), relative_tolerance);
  if (!a.allFinite())
    return decide_rank(Vector(Vector::Constant(1, not_a_number)), relative_tolerance);
  // A = Q [T 0; 0 0] Z, and one-sided rotations of Tᵀ converge in few sweeps (Drmač, Veselić, SIAM
  // J. Matrix Anal. Appl. 29 (2008) 1322).
  DenseQr qr(a.rows(), a.cols(), 0.0);
  qr.matrix() = a;
  const Index rank = qr.factor().rank;
  const Matrix t = qr.packed().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  return OneSidedJacobi(rank, rank).factor(t.transpose(), relative_tolerance);
}

Matrix null_space(const Matrix& a, double relative_tolerance) {
  const Svd decomposition = svd(a);
  const Index rank = decide_rank(decomposition.s, relative_tolerance).rank;
  return decomposition.v.rightCols(a.cols() - rank);
}

Matrix left_null_space(const Matrix& a, double relative_tolerance) {
  const Svd decomposition = svd(a);
  const Index rank = decide_rank(decomposition.s, relative_tolerance).rank;
  return decomposition.u.rightCols(a.rows() - rank);
}

Vector min_norm_least_squares(const Matrix& a, const Vector& b, double relative_tolerance) {
  DenseQr qr(a.rows(), a.cols(), relative_tolerance);
  qr.matrix() = a;
  qr.factor();
  Vector x(a.cols());
  qr.solve({b.data(), to_size(b.size())}, {x.data(), to_size(x.size())});
  return x;
}

}  // namespace daedal::linalg
