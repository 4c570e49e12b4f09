// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/diagnostics.hpp"

#include <algorithm>
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
  std::vector<Diagnostic> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  throw ParseError(std::move(sorted));
}

}  // namespace daedal::modelica
