// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/lost_digits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace daedal::solve_detail {

namespace {

/// In absolute tolerances: below, nothing was promised.
constexpr double smallest_in_tolerances = 100.0;
/// Of the common points. An event at an output point may be in one run before it and in the other
/// after it: a few points say nothing.
constexpr double lost_points = 0.25;

class Comparer {
 public:
  Comparer(const Solution& a, const Solution& b, const Model& model)
      : a_(a), b_(b), size_(a.names.size(), 0.0), least_(size_.size()) {
    for (std::size_t i = 0; i < a.n_rows(); ++i) {
      const auto row = a.row(i);
      for (std::size_t j = 0; j < size_.size(); ++j) {
        size_[j] = std::max(size_[j], std::abs(row[j]));
      }
    }
    std::ranges::fill(least_, smallest_in_tolerances * a.atol);
    for (const Variable& variable : model.variables()) {
      const auto found = std::ranges::find(a.names, variable.name);
      if (found == a.names.end()) continue;
      least_[static_cast<std::size_t>(found - a.names.begin())] *= std::abs(variable.nominal);
    }
  }

  [[nodiscard]] Difference at(std::size_t i, std::size_t k) const {
    Difference worst{.t = a_.times[i]};
    for (std::size_t j = 0; j < size_.size(); ++j) {
      const double one = a_.row(i)[j];
      const double two = b_.row(k)[j];
      const double change = std::abs(one - two);
      if (change > worst.share * size_[j] && change > least_[j]) {
        worst = {.share = change / size_[j], .column = j, .t = a_.times[i], .one = one, .two = two};
      }
    }
    return worst;
  }

 private:
  const Solution& a_;
  const Solution& b_;
  std::vector<double> size_;   ///< the largest values
  std::vector<double> least_;  ///< the smallest differences that count
};

}  // namespace

Difference difference_of(const Solution& a, const Solution& b, const Model& model) {
  if (a.n_rows() == 0 || b.n_rows() == 0 || a.names != b.names) return {};
  const Comparer compare(a, b, model);
  const Difference last = compare.at(a.n_rows() - 1, b.n_rows() - 1);
  if (last.leaves_no_digit()) return last;
  const bool is_forward = a.times.back() >= a.times.front();
  Difference first;
  std::size_t n_common = 0;
  std::size_t n_lost = 0;
  for (std::size_t i = 0, k = 0; i < a.n_rows() && k < b.n_rows();) {
    if (a.times[i] != b.times[k]) {
      ++((a.times[i] < b.times[k]) == is_forward ? i : k);
      continue;
    }
    const Difference here = compare.at(i++, k++);
    ++n_common;
    if (!here.leaves_no_digit()) continue;
    if (n_lost++ == 0) first = here;
  }
  return static_cast<double>(n_lost) > lost_points * static_cast<double>(n_common) ? first : last;
}

}  // namespace daedal::solve_detail
