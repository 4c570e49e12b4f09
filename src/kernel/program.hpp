// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A `Program` is a list of expressions compiled to a register machine: common subexpressions
/// once, multiply-adds fused, registers reused. Evaluation allocates nothing and is re-entrant:
/// what changes lives in a `Workspace` (one per thread).
///
///     Program program = Program::compile(pool, {{f, g}}, inputs);
///     Workspace workspace = program.make_workspace();
///     program.evaluate(blocks, values, workspace);

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"

namespace daedal::kernel {

struct Backend;
struct EncodedCode;

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
class LaneWorkspace;

class Program {
 public:
  /// The program without outputs.
  Program();

  /// Compiles `outputs`. Every leaf that the outputs depend on must be bound by `inputs`
  /// (constants excepted); bindings of unused leaves cost nothing.
  /// Throws Error{internal} naming a leaf that is not bound, or a node bound to two places.
  static Program compile(const Pool& pool, std::span<const NodeId> outputs,
                         std::span<const Input> inputs);
  /// How many programs this thread has compiled.
  static std::int64_t& n_compilations();

  [[nodiscard]] Index n_outputs() const;
  /// Arithmetic operations of one evaluation; a fused instruction counts as its parts.
  [[nodiscard]] Index n_operations() const;
  [[nodiscard]] Index n_instructions() const;
  [[nodiscard]] Index n_registers() const;
  [[nodiscard]] Workspace make_workspace() const;

  /// out[i] = value of outputs[i]. The workspace must come from this program's make_workspace.
  void evaluate(std::span<const double* const> blocks, std::span<double> out,
                Workspace& workspace) const;
  /// The same without a copy: the values stay where they are until the next evaluation.
  std::span<double> evaluate(std::span<const double* const> blocks, Workspace& workspace) const;
  /// What the last of these has left there.
  [[nodiscard]] std::span<double> outputs(Workspace& workspace) const;

  /// Eight evaluations at once: blocks[b][8·offset + lane],
  /// out[8·i + lane]. Every lane has the same bits that `evaluate`
  /// gives, independent of the other lanes and of the instruction
  /// set.
  static constexpr Index n_lanes = 8;
  /// Uses the best instruction set of the machine, or the one named: "baseline", "avx2", "avx512".
  /// Throws Error{internal} for one that the machine has not.
  [[nodiscard]] LaneWorkspace make_lane_workspace(std::string_view instruction_set = {}) const;
  void evaluate_lanes(std::span<const double* const> blocks, std::span<double> out,
                      LaneWorkspace& workspace) const;

  /// What was compiled, for other evaluations such as that of taylor.hpp.
  struct Code;
  [[nodiscard]] const std::shared_ptr<const Code>& code() const { return code_; }

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

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  bool operator==(const CacheLineAllocator&) const = default;
};

/// A vector of doubles that starts on a cache line, so that no register of eight lanes straddles
/// two.
using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

/// Registers of eight lanes each.
class LaneWorkspace {
 public:
  LaneWorkspace() = default;

 private:
  friend class Program;
  std::shared_ptr<const Program::Code> code_;
  const Backend* backend_ = nullptr;
  std::shared_ptr<const EncodedCode> encoded_;
  AlignedVector registers_;
};

}  // namespace daedal::kernel
