// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A `Program` is a list of expressions compiled to a register machine: common subexpressions
/// once, multiply-adds fused, registers reused. Evaluation allocates nothing and is re-entrant:
/// what changes lives in a `Workspace` (one per thread).

#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"

namespace daedal::kernel {

/// Where a leaf's value is found at run time: `blocks[block][offset]`.
struct Input {
  NodeId leaf = no_node;
  int block = 0;
  Index offset = 0;
};

class Program;

/// Registers of one evaluation. Made by `Program::make_workspace`, reused without allocation.
class Workspace {
 public:
  Workspace() = default;

 private:
  friend class Program;
  std::vector<double> registers_;
};

class Program {
 public:
  Program() = default;

  /// Compiles `outputs`. Every leaf that the outputs depend on must be bound by `inputs`
  /// (constants excepted); bindings of unused leaves cost nothing.
  /// Throws Error{internal} naming an unbound leaf.
  static Program compile(const Pool& pool, std::span<const NodeId> outputs,
                         std::span<const Input> inputs);

  [[nodiscard]] Index n_outputs() const;
  /// Arithmetic instructions of one evaluation.
  [[nodiscard]] Index n_operations() const;
  [[nodiscard]] Workspace make_workspace() const;

  /// out[i] = value of outputs[i].
  void evaluate(std::span<const double* const> blocks, std::span<double> out,
                Workspace& workspace) const;

  struct Code;

 private:
  std::shared_ptr<const Code> code_;
};

}  // namespace daedal::kernel
