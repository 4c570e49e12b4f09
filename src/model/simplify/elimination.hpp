// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Finds the variables that a model can do without, and the equation that each of them takes along:
///
///   aliases    x = y, x = −y                    represented by one of the two;
///   constants  x = expression of parameters;
///   outputs    w = expression, w in no other equation (and what only outputs need).
///
/// Each elimination removes one variable and one equation in which the variable stands alone with a
/// numeric factor, so that nothing is divided by what may be zero. An equation between two
/// variables that are both differentiated is a constraint on states, and a constant for a
/// differentiated one too: they stay, since without them the index would be another. Linear in the
/// size of the model (aliases: n log n).

#include <cstdint>
#include <daedal/model.hpp>
#include <memory>
#include <vector>

#include "expr/pool.hpp"
#include "model/leaves.hpp"

namespace daedal {

/// Classes of variables that are equal up to sign, with one representative each: a union-find
/// structure whose links carry a sign.
class AliasClasses {
 public:
  explicit AliasClasses(std::int32_t n_variables);

  struct Member {
    std::int32_t representative;
    int sign;  ///< variable = sign · representative
  };
  [[nodiscard]] Member find(std::int32_t variable);
  /// Declares representative `a` = sign · representative `b`, different ones; `a` stays
  /// representative.
  void merge(std::int32_t a, std::int32_t b, int sign);
  /// Every variable of the class of a representative, itself among them.
  [[nodiscard]] const std::vector<std::int32_t>& members(std::int32_t representative) const;

 private:
  std::vector<std::int32_t> parent_;
  std::vector<int> sign_;  ///< variable = sign · parent
  std::vector<std::vector<std::int32_t>> members_;
};

class Elimination {
 public:
  /// `outputs`: whether outputs are eliminated too.
  Elimination(const Model& model, bool outputs);

  enum class Fate { kept, constant, output };
  [[nodiscard]] AliasClasses& classes() { return classes_; }
  [[nodiscard]] Fate fate(std::int32_t representative) const;
  /// The value of a representative that is not kept, in `pool()`.
  [[nodiscard]] NodeId definition(std::int32_t representative) const;
  [[nodiscard]] bool is_removed(std::size_t equation) const { return removed_[equation]; }
  /// A child of the model's pool that holds the definitions.
  [[nodiscard]] const Pool& pool() const { return pool_; }
  Pool& pool() { return pool_; }

 private:
  struct Use {
    std::int32_t representative;
    int order;  ///< the highest derivative
  };
  void mark_special_uses();
  void mark_leaf_uses(NodeId root);
  void find_aliases_and_constants();
  void find_outputs();
  void classify(std::size_t equation);
  void make_alias(std::int32_t a, std::int32_t b, int sign);
  void make_constant(std::int32_t representative, NodeId definition);
  void requeue(std::int32_t representative);
  [[nodiscard]] bool prefers(std::int32_t a, std::int32_t b) const;
  std::vector<Use> uses(std::size_t equation);
  void count_uses();
  NodeId solved_for(std::size_t equation, std::int32_t representative);
  [[nodiscard]] bool may_be_output(std::int32_t representative, std::size_t equation);
  [[nodiscard]] bool is_constant_term(NodeId node);

  const Model& model_;
  Pool pool_;
  LeafWalker walker_;
  AliasClasses classes_;
  std::vector<Fate> fate_;
  std::vector<NodeId> definition_;
  std::vector<bool> removed_;
  std::vector<bool> has_derivative_;  ///< der(x) appears somewhere
  std::vector<bool> not_constant_;    ///< reinit targets, differentiated variables
  std::vector<bool> not_output_;  ///< fixed, wanted as state, reinitialised, pre(x), x(finalTime)
  std::vector<bool> used_elsewhere_;  ///< in events, initial equations, assertions
  std::vector<std::vector<std::int32_t>> short_equations_;  ///< candidates by variable
  std::vector<std::int32_t> queue_;
  std::vector<bool> queued_;
  std::vector<std::int32_t> n_equations_;             ///< kept equations by representative
  std::vector<std::int32_t> n_derivative_equations_;  ///< those with its derivative
  std::vector<std::vector<std::int32_t>> equations_of_;
};

}  // namespace daedal
