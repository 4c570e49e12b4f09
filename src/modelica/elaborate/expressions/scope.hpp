// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Names that an expression may use beside those of the model: the indices of the loops around it,
/// the variables of the function that is being executed, and what `end` means in its subscripts.

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

/// The variables of a function being executed.
struct FunctionFrame {
  std::unordered_map<TextId, Value> variables{};
  /// An algorithm section of the model reads and assigns the model's variables.
  bool sees_model = false;
  /// What the scalars of the model that the section assigns are at this point. One scalar goes by
  /// several names ('x', x[1], 'x[1]'), so it is found by its leaf.
  std::unordered_map<NodeId, NodeId> assigned{};
  /// Variables of the function whose sizes follow from what is assigned to them.
  std::set<TextId> open{};
  /// When `return` or `break` has left what is being executed; no_node: never.
  NodeId returned = no_node;
  NodeId broken = no_node;
};

/// The last item of a list while it lives.
template <class T>
class Pushed {
 public:
  Pushed(std::vector<T>& list, T item) : list_(list) { list_.push_back(std::move(item)); }
  ~Pushed() { list_.pop_back(); }
  Pushed(const Pushed&) = delete;
  Pushed& operator=(const Pushed&) = delete;

 private:
  std::vector<T>& list_;
};

class Scope {
 public:
  explicit Scope(Context& context) : context_(context) {}

  /// The function being executed, or null.
  [[nodiscard]] FunctionFrame* frame() const { return frame_; }
  /// Are the variables of the model out of sight?
  [[nodiscard]] bool in_function() const { return frame_ != nullptr && !frame_->sees_model; }
  /// The index of a loop, else a variable of the function; null if the name is neither.
  [[nodiscard]] const Value* find(TextId name) const {
    for (std::size_t i = loops_.size(); i-- > loops_base_;) {
      if (loops_[i].first == name) return &loops_[i].second;
    }
    if (frame_ == nullptr) return nullptr;
    const auto local = frame_->variables.find(name);
    return local == frame_->variables.end() ? nullptr : &local->second;
  }
  /// Has the algorithm section at hand a say in what variables of the model are?
  [[nodiscard]] bool has_assigned() const { return frame_ != nullptr && !frame_->assigned.empty(); }
  /// A value of the model within the algorithm section at hand.
  [[nodiscard]] Value seen(Value declared) const {
    if (!has_assigned()) return declared;
    for (NodeId* leaf : leaves(declared)) {
      const auto changed = frame_->assigned.find(*leaf);
      if (changed != frame_->assigned.end()) *leaf = changed->second;
    }
    return declared;
  }
  /// The names of the loops' indices, outermost first.
  [[nodiscard]] std::vector<TextId> loop_names() const {
    std::vector<TextId> names;
    for (std::size_t i = loops_base_; i < loops_.size(); ++i) names.push_back(loops_[i].first);
    return names;
  }

  [[nodiscard]] bool has_end() const { return !ends_.empty(); }
  /// The last index of the dimension that is being subscripted.
  [[nodiscard]] std::int64_t end() const { return ends_.back(); }

  /// Gives a loop's index a value while the result lives.
  [[nodiscard]] auto bind(TextId index, Value value) {
    return Pushed(loops_, std::pair(index, std::move(value)));
  }
  /// Gives `end` a meaning while the result lives.
  [[nodiscard]] auto bind_end(std::int64_t length) { return Pushed(ends_, length); }

  /// Inside a function while it lives: its variables are seen, loops around the call are not.
  class InFunction {
   public:
    InFunction(Scope& owner, FunctionFrame* frame)
        : frame_(owner.frame_, frame),
          base_(owner.loops_base_, owner.loops_.size()),
          ends_(owner.ends_, {}) {}

   private:
    Restored<FunctionFrame*> frame_;
    Restored<std::size_t> base_;
    Restored<std::vector<std::int64_t>> ends_;
  };

  /// As in a declaration of the model while it lives, wherever the need arose.
  class TopLevel {
   public:
    explicit TopLevel(Scope& owner)
        : outside_(owner, nullptr),
          immediate_(owner.context_.immediate, false),
          instant_(owner.context_.instant, false) {}

   private:
    InFunction outside_;
    Restored<bool> immediate_;
    Restored<bool> instant_;
  };

 private:
  Context& context_;
  std::vector<std::pair<TextId, Value>> loops_;
  std::size_t loops_base_ = 0;  ///< indices below belong to callers
  FunctionFrame* frame_ = nullptr;
  std::vector<std::int64_t> ends_;  ///< innermost last
};

}  // namespace daedal::modelica
