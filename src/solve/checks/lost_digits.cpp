// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/lost_digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/expected.hpp"

namespace daedal::solve_detail {

namespace {

/// Differences below so many absolute tolerances do not count, because no digits are promised
/// there.
constexpr double smallest_in_tolerances = 100.0;
/// The share of the common points that must differ. An event at an output point may lie before it
/// in one run and after it in the other, so that a few points prove nothing.
constexpr double lost_points = 0.25;

/// Factors of the tolerance: small enough for different errors at little more cost. The second one
/// is tried where the first leaves a doubt.
constexpr std::array sharper_tolerances{0.3, 0.1};
/// Runs that differ by fewer tolerances agree.
constexpr double chance_in_tolerances = 1e3;

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

void tell_lost_digits(const Doubt& doubt, const Model& model,
                      const std::function<Solution(double sharper)>& other_run,
                      Solution& solution) {
  if (!(doubt.size > smallest_doubt)) return;
  const bool is_fixed = doubt.is_of_step;
  Difference found;
  double tolerance = 0.0;
  for (const double sharper : sharper_tolerances) {
    const auto again = Expected<Solution>::from([&] { return other_run(sharper); });
    // A method that fits need not fit the sharper tolerance.
    if (!again || again->status != Status::success || again->times.empty() ||
        again->times.back() != solution.times.back()) {
      return;
    }
    const Difference here = difference_of(solution, *again, model);
    if (tolerance == 0.0 || here.share > found.share) {
      found = here;
      tolerance = again->rtol;
    }
    // Where errors have the size of the solution, two runs may agree in a digit by chance.
    const bool is_by_chance =
        doubt.size > 1.0 && found.share > chance_in_tolerances * solution.rtol;
    if (found.leaves_no_digit() || is_fixed || !is_by_chance) break;
  }
  const std::string growth = fmt::format("{:.1g}", solution.error_growth);
  if (!is_fixed) {
    solution.error_growth = std::clamp(found.share / solution.rtol, 1.0, solution.error_growth);
  }
  if (!found.leaves_no_digit()) {
    solution.notices.push_back(fmt::format(
        "{}, and the run was repeated with {}: the results differ by {:.1g} of the largest "
        "values at most.",
        is_fixed ? "The steps are long for this model"
                 : fmt::format("Errors can have grown {} times", growth),
        is_fixed ? "half the step" : fmt::format("the tolerance {:.1g}", tolerance), found.share));
    return;
  }
  const std::string values = fmt::format("at t = {:.6g} '{}' is {:.6g} instead of {:.6g}", found.t,
                                         solution.names[found.column], found.two, found.one);
  solution.warnings.push_back(
      is_fixed ? fmt::format("The step is too long for this model: with half of it {}.", values)
               : fmt::format("No digit of the result is certain: errors grow along this solution, "
                             "by about {} in all, and with the tolerance {:.1g} {}.",
                             growth, tolerance, values));
}

}  // namespace daedal::solve_detail
