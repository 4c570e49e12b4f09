// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/value_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace daedal::solve_detail {

namespace {

/// A value beyond its bound by so many tolerances is beyond it.
constexpr double tolerances_beyond = 10.0;
/// More sentences than this say nothing more.
constexpr std::size_t most_sentences = 10;

}  // namespace

std::vector<ValueBound> value_bounds(const Model& model, std::span<const std::string> names) {
  std::unordered_map<std::string_view, std::size_t> columns;
  for (std::size_t j = 0; j < names.size(); ++j) columns.emplace(names[j], j);
  std::vector<ValueBound> bounds;
  for (const auto& variables : {model.variables(), model.discretes()}) {
    for (const Variable& variable : variables) {
      const auto column = columns.find(variable.name);
      if (column == columns.end()) continue;
      for (const auto& [name, value, sign] :
           {std::tuple("min", variable.min, -1.0), std::tuple("max", variable.max, 1.0)}) {
        if (std::isfinite(value)) {
          bounds.push_back({column->second, variable.name, name, value, sign});
        }
      }
    }
  }
  return bounds;
}

BoundChecks::BoundChecks(std::span<const ValueBound> bounds, double rtol)
    : bounds_(bounds), rtol_(rtol), known_(bounds.size()) {}

double BoundChecks::slack(std::size_t k) const {
  return tolerances_beyond * rtol_ * std::max(known_[k].size, std::abs(bounds_[k].value));
}

void BoundChecks::note_size(std::size_t k, double size) {
  if (std::isfinite(size)) known_[k].size = std::max(known_[k].size, size);
}

const BoundChecks::Peak* BoundChecks::first_beyond(std::size_t k,
                                                   std::span<const Peak> found) const {
  const auto first = std::ranges::find_if(
      found, [limit = slack(k)](const Peak& peak) { return peak.excess > limit; });
  return first == found.end() ? nullptr : &*first;
}

bool BoundChecks::is_told(std::size_t k) const {
  return first_beyond(k, known_[k].peaks) != nullptr;
}

void BoundChecks::note_peak(std::size_t k, const Peak& peak) {
  note_size(k, std::abs(bounds_[k].value + bounds_[k].sign * peak.excess));
  if (peak.excess > slack(k) && !is_told(k)) known_[k].peaks.push_back(peak);
}

void BoundChecks::look(double t, std::span<const double> row) {
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const ValueBound& bound = bounds_[k];
    Known& known = known_[k];
    const double value = row[bound.column];
    note_size(k, std::abs(value));
    const double excess = bound.excess(value);
    if (excess > (known.rows.empty() ? slack(k) : 2.0 * known.rows.back().excess)) {
      // Where the line between the two rows meets the bound; the row before is at most at it.
      const double share =
          has_last_ ? std::clamp((bound.value - known.last) / (value - known.last), 0.0, 1.0) : 1.0;
      known.rows.push_back({t + (share - 1.0) * (t - last_t_), t, excess});
    }
    known.last = value;
  }
  last_t_ = t;
  has_last_ = true;
}

std::vector<std::string> BoundChecks::sentences() const {
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < known_.size() && sentences.size() < most_sentences; ++k) {
    const Peak* found = first_beyond(k, known_[k].rows);
    if (found == nullptr) found = first_beyond(k, known_[k].peaks);
    if (found == nullptr) continue;
    const ValueBound& bound = bounds_[k];
    sentences.push_back(fmt::format(
        "From t = {:.4g} on '{}' is {} its {} = {:g}: it comes to {:.6g} at t = {:.6g}.", found->t,
        bound.variable, bound.sign > 0.0 ? "above" : "below", bound.name, bound.value,
        bound.value + bound.sign * found->excess, found->seen_at));
  }
  return sentences;
}

}  // namespace daedal::solve_detail
