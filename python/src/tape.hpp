// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions as Python writes them: an append-only list of operations, replayed into a model
/// builder when the model is built. A list can be replayed as often as needed, so that a model may
/// grow after it was analysed or solved, and it can be evaluated with numbers, so that a traced
/// function can be compared with the function itself.

#include <cstdint>
#include <daedal/expr.hpp>
#include <span>
#include <vector>

namespace daedal::python {

using TapeId = std::int32_t;
inline constexpr TapeId no_id = -1;

enum class TapeOp : std::uint8_t {
  constant,
  time,
  variable,
  discrete,
  parameter,
  derivative,  ///< the k-th total derivative, k in `number`
  previous,
  final_value,
  sample,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,          ///< two arguments
  integer_power,  ///< the exponent is `number`
#define DAEDAL_TAPE_OP(name, ...) name,
  DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_TAPE_OP)
#undef DAEDAL_TAPE_OP
      atan2,
  minimum,
  maximum,
  less,  ///< relations and what combines them, up to logical_not
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_not,
  if_else,
  no_event,
};

/// Arguments have smaller numbers than the node itself.
struct TapeNode {
  TapeOp op = TapeOp::constant;
  TapeId a = no_id;
  TapeId b = no_id;
  TapeId c = no_id;
  std::int32_t number = 0;  ///< of a variable or parameter; exponent; order of a derivative
  double value = 0.0;       ///< of a constant
};

/// The values of the leaves for an evaluation with numbers.
struct TapePoint {
  double t = 0.0;
  std::span<const double> y{};
  std::span<const double> yp{};
  std::span<const double> parameters{};
};

/// What the leaves of a replay are.
struct TapeLeaves {
  Expr time;
  std::vector<Expr> variables{};
  std::vector<Expr> discretes{};
  std::vector<Expr> parameters{};
};

class ModelReplay;

class Tape {
 public:
  TapeId constant(double value);
  /// `a`, `b`, `c` and the number as the operation needs them. Sums with 0 and products with 0 and
  /// 1 are left out: dense matrices that a residual multiplies with are mostly zeros.
  TapeId make(TapeOp op, TapeId a = no_id, TapeId b = no_id, TapeId c = no_id,
              std::int32_t number = 0);
  [[nodiscard]] const TapeNode& operator[](TapeId id) const {
    return nodes_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// The values of `roots`, and beside each the magnitude of the terms that it was added up from:
  /// round-off is proportional to that, not to the value. Throws std::invalid_argument for what
  /// has no value at a point (left limits, samples, values at the end).
  void evaluate(const TapePoint& point, std::span<const TapeId> roots, std::span<double> values,
                std::span<double> magnitudes) const;
  /// Whether the value of a root depends on the derivative of a variable by more than a factor
  /// that is free of derivatives; one entry per variable.
  [[nodiscard]] std::vector<bool> nonlinear_derivatives(std::span<const TapeId> roots,
                                                        std::size_t n_variables) const;
  /// Which nodes the roots depend on.
  [[nodiscard]] std::vector<bool> used(std::span<const TapeId> roots) const;
  /// Which floors jump while a run goes on, and are asked for outside of no_event: their jumps are
  /// events.
  [[nodiscard]] std::vector<bool> jumping_floors(std::span<const TapeId> roots) const;

 private:
  [[nodiscard]] bool is_number(TapeId id, double value) const {
    return id != no_id && (*this)[id].op == TapeOp::constant && (*this)[id].value == value;
  }
  std::vector<TapeNode> nodes_;
};

}  // namespace daedal::python
