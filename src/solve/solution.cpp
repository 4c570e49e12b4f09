// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/solution.hpp>

#include "core/nearest_name.hpp"
#include "solve/dense.hpp"

namespace daedal {

std::span<const double> Solution::row(std::size_t i) const {
  return std::span<const double>(values).subspan(i * names.size(), names.size());
}

std::size_t Solution::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string near = nearest_name(name, names);
    throw OptionError(ErrorCode::unknown_name,
                      fmt::format("The solution of '{}' has no variable '{}'{}", model_name, name,
                                  near.empty() ? "." : fmt::format("; did you mean '{}'?", near)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

double Solution::final_value(std::string_view name) const {
  const std::size_t c = column(name);
  if (n_rows() == 0) {
    throw OptionError(ErrorCode::invalid_option, "The solution is empty: the run did not start.");
  }
  return row(n_rows() - 1)[c];
}

double Solution::at(double t, std::string_view name) const {
  std::vector<double> all(names.size());
  const std::size_t c = column(name);
  at(t, all);
  return all[c];
}

void Solution::at(double t, std::span<double> all_values) const {
  if (!dense) {
    throw OptionError(ErrorCode::invalid_option,
                      "Dense output was not kept for this solution (Options::keep_dense).");
  }
  dense->evaluate(t, all_values);
}

}  // namespace daedal
