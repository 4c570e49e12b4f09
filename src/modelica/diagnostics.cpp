// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace daedal::modelica {

void Diagnostics::report(ErrorCode code, Position where, std::string message) {
  errors_.push_back({code, source(where), std::move(message)});
  if (static_cast<int>(errors_.size()) >= limit_) throw_if_any();
}

void Diagnostics::fail(ErrorCode code, Position where, std::string message) {
  report(code, where, std::move(message));
  throw Abandon{};
}

void Diagnostics::warn(ErrorCode code, Position where, std::string message) {
  if (warnings_ != nullptr) warnings_->push_back({code, source(where), std::move(message)});
}

void Diagnostics::throw_if_any() const {
  if (errors_.empty()) return;
  std::vector<std::size_t> order(errors_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    const SourcePosition& first = errors_[a].where;
    const SourcePosition& second = errors_[b].where;
    return std::tuple(first.line, first.column, a) < std::tuple(second.line, second.column, b);
  });
  std::vector<Diagnostic> sorted;
  for (const std::size_t i : order) sorted.push_back(errors_[i]);
  throw ParseError(std::move(sorted));
}

}  // namespace daedal::modelica
