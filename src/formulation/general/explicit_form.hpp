// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(t, x) from F(t, x, x') = 0, where the equations can be solved one after the other: each
/// is linear in the one unknown (a derivative or an algebraic variable) that those before it leave.

#include <memory>
#include <vector>

#include "kernel/program.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

struct ExplicitForm {
  std::shared_ptr<Pool> pool;        ///< a child of the view's, open for derivatives
  std::vector<std::int32_t> states;  ///< numbers of the differential variables
  std::vector<NodeId> state_leaves;  ///< x
  std::vector<NodeId> rates;         ///< f(t, x)
  std::vector<std::int32_t> algebraic;
  std::vector<NodeId> algebraic_values;  ///< y(t, x)
  /// All leaves that remain: states in block_values by their position, the rest as in
  /// model_inputs.
  std::vector<kernel::Input> inputs;
};

/// Throws ModelError{not_recognized} naming the equations and variables that form a loop, or that
/// are not linear in what they have to determine.
ExplicitForm explicit_form(const GeneralView& view);

}  // namespace daedal::formulation
