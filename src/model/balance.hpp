// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// As many equations as unknowns? And if not: which are too many, what is left undetermined?
///
/// Counting tells that something is wrong, a maximum matching of equations with the unknowns in
/// them (with derivatives of any order) tells what: equations without a partner are surplus,
/// unknowns without one are determined by nothing.

#include <vector>

#include "core/types.hpp"
#include "model/model_data.hpp"

namespace daedal {

/// Lists the inputs that may be given from outside: those that nothing determines, and those whose
/// declaration has a value, which is a default. What other equations determine is no such input.
void find_inputs(Model::Data& model);

/// Throws ModelError{unbalanced} naming the surplus equations and undetermined variables when the
/// numbers of equations and unknowns differ. Inputs that are to be given are no unknowns.
void check_balance(const Model::Data& model);

/// Throws ModelError{unbalanced} when two equations or clauses determine one discrete variable.
void check_discrete_assignments(const Model::Data& model);

/// Which columns appear in each row.
using Incidence = std::vector<std::vector<std::int32_t>>;

struct Matching {
  std::vector<std::int32_t> column_of_row;  ///< -1: without a partner
  std::vector<std::int32_t> row_of_column;
};

/// A maximum matching by augmenting paths, rows in order, without recursion.
Matching maximum_matching(const Incidence& rows, std::int32_t n_columns);

}  // namespace daedal
