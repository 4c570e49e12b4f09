// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The Hessenberg view of order m (index m + 1):
///
///   M x⁽ᵐ⁾ = f(x, x', ..., x⁽ᵐ⁻¹⁾, t) − B y,   0 = g(x, t),   G = ∂g/∂x.
///
/// It is linear in y, and g knows neither y nor derivatives. A model of first order has it as
/// chains x₁' = x₂, ..., xₘ' = f − By. M is the identity for most models; Petzold, Ren & Maly write
/// the form with B for our M⁻¹B.

#include <daedal/model.hpp>
#include <memory>
#include <span>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "model/views/semi_explicit.hpp"

namespace daedal {

struct HessenbergView {
  Model model;                       ///< of first order; its variables are meant below
  std::shared_ptr<const Pool> pool;  ///< frozen child of the model's pool
  int order = 1;                     ///< m
  /// states[k][i]: the variable that is the k-th derivative of xᵢ, k = 0..m−1.
  std::vector<std::vector<std::int32_t>> states;
  std::vector<std::int32_t> algebraic;  ///< the variables y
  std::vector<JacobianEntry> mass;      ///< M, by columns
  bool mass_is_identity = true;
  std::vector<NodeId> force;               ///< f
  std::vector<JacobianEntry> coefficient;  ///< B, by columns
  std::vector<JacobianEntry> jacobian;     ///< G, by columns
  /// levels[j]: the j-th total derivative of g as an expression of the states, j = 0..m−1.
  std::vector<std::vector<NodeId>> levels;
  /// g⁽ᵐ⁾ = G x⁽ᵐ⁾ + remainder.
  std::vector<NodeId> remainder;
  std::vector<std::int32_t> constraint_equations;  ///< equations of the model that g comes from
  /// Every variable of the model by states, y, and the leaves der(last state) = x⁽ᵐ⁾.
  std::vector<NodeId> outputs;
};

/// Finds the order m: the length of the chains when g depends on their heads alone, else 1.
Recognition<HessenbergView> hessenberg_view(const Model& model, std::span<const double> parameters);

}  // namespace daedal
