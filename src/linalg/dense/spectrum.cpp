// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::linalg {

namespace {

/// Francis' steps for one eigenvalue or pair before there is none, and after how many the shifts
/// are others than the eigenvalues of the last two rows, which may go in circles.
constexpr int most_steps = 60;
constexpr int steps_to_other_shifts = 10;

/// Householder's reduction to Hessenberg form and Francis' double QR steps with implicit shifts
/// (Golub, Van Loan, Matrix Computations, 7.4 and 7.5) for matrices that fit a cache: rows lie one
/// after the other, and only the block that is still coupled is worked on.
class HessenbergIteration {
 public:
  HessenbergIteration(const Matrix& a, double scale) : n_(a.rows()), entries_(to_size(n_ * n_)) {
    for (Index i = 0; i < n_; ++i) {
      for (Index j = 0; j < n_; ++j) row(i)[j] = a(i, j) / scale;
    }
  }

  std::vector<std::complex<double>> run() {
    for (Index k = 0; k + 2 < n_; ++k) reduce_column(k);
    int steps = 0;
    for (Index last = n_ - 1; last >= 0;) {
      const Index first = first_of_block(last);
      if (first >= last - 1) {
        first == last ? add_one(last) : add_pair(last);
        last = first - 1;
        steps = 0;
      } else if (++steps > most_steps) {
        return {};
      } else {
        step(first, last, steps % steps_to_other_shifts == 0);
      }
    }
    return std::move(found_);
  }

 private:
  double* row(Index i) { return entries_.data() + i * n_; }

  /// Reflects rows and columns from k + 1 on, so that column k ends below its diagonal.
  void reduce_column(Index k) {
    double squares = 0.0;
    for (Index i = k + 1; i < n_; ++i) squares += row(i)[k] * row(i)[k];
    if (squares == 0.0) return;
    const double size = std::sqrt(squares);
    const double head = row(k + 1)[k];
    const double end = head > 0.0 ? -size : size;
    const double factor = (end - head) / end;
    vector_.assign(to_size(n_), 0.0);
    sums_.assign(to_size(n_), 0.0);
    vector_[to_size(k + 1)] = 1.0;
    for (Index i = k + 2; i < n_; ++i) {
      vector_[to_size(i)] = row(i)[k] / (head - end);
      row(i)[k] = 0.0;
    }
    row(k + 1)[k] = end;
    for (Index i = k + 1; i < n_; ++i) {
      const double v = vector_[to_size(i)];
      for (Index j = k + 1; j < n_; ++j) sums_[to_size(j)] += v * row(i)[j];
    }
    for (Index i = k + 1; i < n_; ++i) {
      const double v = factor * vector_[to_size(i)];
      for (Index j = k + 1; j < n_; ++j) row(i)[j] -= v * sums_[to_size(j)];
    }
    for (Index i = 0; i < n_; ++i) {
      double sum = 0.0;
      for (Index j = k + 1; j < n_; ++j) sum += row(i)[j] * vector_[to_size(j)];
      sum *= factor;
      for (Index j = k + 1; j < n_; ++j) row(i)[j] -= sum * vector_[to_size(j)];
    }
  }

  /// The first row that is coupled with the last one by entries that count.
  Index first_of_block(Index last) {
    Index first = last;
    for (; first > 0; --first) {
      const double beside = std::abs(row(first - 1)[first - 1]) + std::abs(row(first)[first]);
      double& coupling = row(first)[first - 1];
      if (std::abs(coupling) > round_off * (beside > 0.0 ? beside : 1.0)) continue;
      coupling = 0.0;
      break;
    }
    return first;
  }

  void add_one(Index i) { found_.emplace_back(row(i)[i], 0.0); }

  void add_pair(Index i) {
    const double x = row(i)[i];
    const double half = 0.5 * (row(i - 1)[i - 1] - x);
    const double product = row(i)[i - 1] * row(i - 1)[i];
    const double square = half * half + product;
    const double root = std::sqrt(std::abs(square));
    if (square < 0.0) {
      found_.emplace_back(x + half, root);
      found_.emplace_back(x + half, -root);
      return;
    }
    // The one that does not cancel, and the other from the product of both.
    const double far = half + std::copysign(root, half);
    found_.emplace_back(x + far, 0.0);
    found_.emplace_back(far == 0.0 ? x : x - product / far, 0.0);
  }

  /// Two QR steps with the shifts of the last two rows at once, by reflections of three rows.
  void step(Index first, Index last, bool has_other_shifts) {
    double x = row(last)[last];
    double y = row(last - 1)[last - 1];
    double w = row(last)[last - 1] * row(last - 1)[last];
    if (has_other_shifts) {
      const double size = std::abs(row(last)[last - 1]) + std::abs(row(last - 1)[last - 2]);
      x += 0.75 * size;
      y = x;
      w = -0.4375 * size * size;
    }
    double head[3];
    Index from = last - 2;
    for (;; --from) {
      const double z = row(from)[from];
      const double below = row(from + 1)[from];
      head[0] = ((x - z) * (y - z) - w) / below + row(from)[from + 1];
      head[1] = row(from + 1)[from + 1] + z - x - y;
      head[2] = row(from + 2)[from + 1];
      const double sum = std::abs(head[0]) + std::abs(head[1]) + std::abs(head[2]);
      for (double& entry : head) entry /= sum;
      if (from == first) break;
      const double left = std::abs(row(from)[from - 1]) * (std::abs(head[1]) + std::abs(head[2]));
      const double around =
          std::abs(row(from - 1)[from - 1]) + std::abs(z) + std::abs(row(from + 1)[from + 1]);
      if (left <= round_off * std::abs(head[0]) * around) break;
    }
    for (Index k = from; k < last; ++k) {
      const bool has_three = k + 2 <= last;
      if (k > from) {
        for (Index i = 0; i < 3; ++i) head[i] = i < 2 || has_three ? row(k + i)[k - 1] : 0.0;
      }
      reflect(
          head,
          {.k = k, .first = first, .last = last, .is_first = k == from, .has_three = has_three});
    }
  }

  struct Place {
    Index k, first, last;
    bool is_first, has_three;
  };

  /// Takes the head to a multiple of the first unit vector, in the rows k, k + 1 and k + 2, and
  /// reflects the columns alike.
  void reflect(const double* head, const Place& at) {
    const auto [k, first, last, is_first, has_three] = at;
    const double size = std::hypot(head[0], head[1], head[2]);
    if (size == 0.0) return;
    const double end = head[0] > 0.0 ? -size : size;
    const double v1 = head[1] / (head[0] - end);
    const double v2 = head[2] / (head[0] - end);
    const double factor = (end - head[0]) / end;
    if (!is_first) {
      row(k)[k - 1] = end;
      row(k + 1)[k - 1] = 0.0;
      if (has_three) row(k + 2)[k - 1] = 0.0;
    } else if (k > first) {
      row(k)[k - 1] *= 1.0 - factor;
    }
    double* const a = row(k);
    double* const b = row(k + 1);
    const Index end_of_columns = std::min(last, k + 3);
    if (!has_three) {
      for (Index j = k; j <= last; ++j) {
        const double sum = factor * (a[j] + v1 * b[j]);
        a[j] -= sum;
        b[j] -= v1 * sum;
      }
      for (Index i = first; i <= end_of_columns; ++i) {
        double* const c = row(i) + k;
        const double sum = factor * (c[0] + v1 * c[1]);
        c[0] -= sum;
        c[1] -= v1 * sum;
      }
      return;
    }
    double* const d = row(k + 2);
    for (Index j = k; j <= last; ++j) {
      const double sum = factor * (a[j] + v1 * b[j] + v2 * d[j]);
      a[j] -= sum;
      b[j] -= v1 * sum;
      d[j] -= v2 * sum;
    }
    for (Index i = first; i <= end_of_columns; ++i) {
      double* const c = row(i) + k;
      const double sum = factor * (c[0] + v1 * c[1] + v2 * c[2]);
      c[0] -= sum;
      c[1] -= v1 * sum;
      c[2] -= v2 * sum;
    }
  }

  Index n_;
  std::vector<double> entries_;
  std::vector<double> vector_, sums_;
  std::vector<std::complex<double>> found_;
};

}  // namespace

std::vector<std::complex<double>> eigenvalues(const Matrix& a) {
  if (a.size() == 0 || !a.allFinite()) return {};
  const double scale = a.cwiseAbs().maxCoeff();
  if (scale == 0.0) return std::vector<std::complex<double>>(to_size(a.rows()));
  auto found = HessenbergIteration(a, scale).run();
  for (auto& value : found) value *= scale;
  return found;
}

}  // namespace daedal::linalg
