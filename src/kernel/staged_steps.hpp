// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The steps by which staged series compute a program: a slot for every value, and for every
/// operation, fused or elementary, one of a few rules.

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "kernel/operations.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

enum class StagedRule {
  constant,   ///< of held operands
  linear,     ///< factor_a·a + factor_b·b
  scaled,     ///< a times the held b
  divided,    ///< by the held b
  product,    ///< a·b
  square,     ///< a²
  quotient,   ///< a/b
  root,       ///< √a
  power,      ///< a^b with b held
  primitive,  ///< r' = factor_a·g·a'
  piece,      ///< a or b, with a sign: chosen where τ = 0
  whole,      ///< by the rule of whole series: functions that are not listed here
};

/// One operation r of a, b and c, all of them slots.
struct StagedStep {
  StagedRule rule = StagedRule::constant;
  Operation value = Operation::stop;  ///< of the leading coefficient; stop: 0
  Index r = 0, a = 0, b = 0, c = 0;
  Index g = 0;  ///< the slope of a primitive
  double factor_a = 1.0, factor_b = 0.0;
  int lead = 0;
  bool feels_a = false, feels_b = false;  ///< the operand's leading coefficient is that of r
  /// Numbers of its sum and of those that this is made of, where it is more than a line.
  std::int32_t sum = 0, weighted_sum = 0, plain_sum = 0;
};

struct StagedSteps {
  /// Leads of inputs that have no unknown coefficient: constant in time, or known as far as needed.
  static constexpr int held = std::numeric_limits<int>::max();
  static constexpr int known = held - 1;

  /// An input of the program, and where its series is.
  struct Leaf {
    int block = 0;
    Index offset = 0;
    Index slot = 0;
    int lead = 0;  ///< at stage s its coefficients up to s + lead are read
  };

  /// A function of time that changes its sign where another piece begins: a − b.
  struct Switch {
    Index a, b;              ///< b < 0: a alone
    bool has_steps = false;  ///< at all whole numbers
  };

  std::vector<StagedStep> steps;
  std::vector<int> leads;  ///< per slot
  std::vector<std::pair<Index, double>> constants;
  std::vector<Leaf> leaves;
  std::vector<Index> outputs;
  std::vector<Switch> switches;
};

/// `lead_of(block, offset)` of every input.
[[nodiscard]] StagedSteps list_steps(const Program& program,
                                     const std::function<int(int, Index)>& lead_of);

}  // namespace daedal::kernel
