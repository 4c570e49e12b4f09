// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A `Program` is a list of expressions compiled to a register machine: common subexpressions
/// once, multiply-adds fused, registers reused. Evaluation allocates nothing and is re-entrant:
/// what changes lives in a `Workspace` (one per thread).
///
///     Program program = Program::compile(pool, {{f, g}}, inputs);
///     Workspace workspace = program.make_workspace();
///     program.evaluate(blocks, values, workspace);

#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"

namespace daedal::kernel {

/// Where a node's value is found at run time: `blocks[block][offset]`.
///
/// Usually a leaf, but any node may be bound; a bound node is read and not computed. That is how a
/// relation *holds* its value between events: bind the relation's own node (Pool::relation_node)
/// to its place in the run's modes. A relation that is not bound follows its arguments.
struct Input {
  NodeId leaf = no_node;
  int block = 0;
  Index offset = 0;
};

class Workspace;

class Program {
 public:
  /// The program without outputs.
  Program();

  /// Compiles `outputs`. Every leaf that the outputs depend on must be bound by `inputs`
  /// (constants excepted); bindings of unused leaves cost nothing.
  /// Throws Error{internal} naming a leaf that is not bound, or a node bound to two places.
  static Program compile(const Pool& pool, std::span<const NodeId> outputs,
                         std::span<const Input> inputs);

  [[nodiscard]] Index n_outputs() const;
  /// Arithmetic operations of one evaluation; a fused instruction counts as its parts.
  [[nodiscard]] Index n_operations() const;
  [[nodiscard]] Index n_instructions() const;
  [[nodiscard]] Index n_registers() const;
  [[nodiscard]] Workspace make_workspace() const;

  /// out[i] = value of outputs[i]. The workspace must come from this program's make_workspace.
  void evaluate(std::span<const double* const> blocks, std::span<double> out,
                Workspace& workspace) const;

  struct Code;

 private:
  std::shared_ptr<const Code> code_;
};

/// Registers of one evaluation. Made by `Program::make_workspace`, reused without allocation.
class Workspace {
 public:
  Workspace() = default;

 private:
  friend class Program;
  std::shared_ptr<const Program::Code> code_;  ///< whose constants the registers hold
  std::vector<double> registers_;
};

}  // namespace daedal::kernel
