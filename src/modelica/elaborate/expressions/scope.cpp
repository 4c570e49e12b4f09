// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/scope.hpp"

namespace daedal::modelica {

const Value* Scope::find(TextId name) const {
  for (std::size_t i = loops_.size(); i-- > loops_base_;) {
    if (loops_[i].first == name) return &loops_[i].second;
  }
  if (frame_ == nullptr) return nullptr;
  const auto local = frame_->variables.find(name);
  return local == frame_->variables.end() ? nullptr : &local->second;
}

std::vector<TextId> Scope::loop_names() const {
  std::vector<TextId> names;
  for (std::size_t i = loops_base_; i < loops_.size(); ++i) names.push_back(loops_[i].first);
  return names;
}

}  // namespace daedal::modelica
