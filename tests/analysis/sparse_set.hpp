// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A constraint set whose equations name their unknowns.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/initial/initializer.hpp"

namespace daedal::analysis::test {

/// One equation: the unknowns in it, its value, and its derivatives by them.
struct Row {
  std::vector<Index> unknowns;
  std::function<double(std::span<const double>)> value;
  std::function<std::vector<double>(std::span<const double>)> derivatives;
};

class SparseSet final : public ConstraintSet {
 public:
  SparseSet(Index n, std::vector<Row> rows) : rows_(std::move(rows)) {
    pattern_.rows = to_index(rows_.size());
    pattern_.columns = n;
    pattern_.column_start.push_back(0);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < pattern_.rows; ++i) {
        const auto& unknowns = rows_[to_size(i)].unknowns;
        const auto found = std::find(unknowns.begin(), unknowns.end(), j);
        if (found == unknowns.end()) continue;
        pattern_.row.push_back(i);
        place_.push_back(to_size(found - unknowns.begin()));
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }

  [[nodiscard]] Index n_unknowns() const override { return pattern_.columns; }
  [[nodiscard]] Index n_equations() const override { return pattern_.rows; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Index residual(std::span<const double> u, std::span<double> values) override {
    Index bad = -1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      values[i] = rows_[i].value(u);
      if (bad < 0 && !std::isfinite(values[i])) bad = to_index(i);
    }
    return bad;
  }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    Index bad = -1;
    for (std::size_t p = 0; p < values.size(); ++p) {
      const auto row = to_size(pattern_.row[p]);
      values[p] = rows_[row].derivatives(u)[place_[p]];
      if (bad < 0 && !std::isfinite(values[p])) bad = to_index(row);
    }
    return bad;
  }
  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    return "u" + std::to_string(unknown);
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    return "e" + std::to_string(equation);
  }

 private:
  std::vector<Row> rows_;
  SparsityPattern pattern_;
  std::vector<std::size_t> place_;
};

}  // namespace daedal::analysis::test
