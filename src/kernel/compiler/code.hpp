// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What `Program::compile` makes. Registers are numbered
///
///     constants | inputs | outputs | temporaries
///
/// Constants are written when a workspace is made, inputs are copied in before a run and outputs
/// copied out after it, both in contiguous runs where the caller's layout allows.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"
#include "kernel/compiler/encode.hpp"
#include "kernel/native/tier.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

/// `count` neighbouring values of an input block that go to neighbouring registers.
struct InputRun {
  int block;
  std::int64_t offset;
  std::int64_t count;
};

/// An output that is an input, a constant, or the same as another output.
struct OutputCopy {
  std::uint32_t from;
  std::uint32_t to;
};

struct Program::Code {
  std::vector<Instruction> instructions;  ///< ended by Operation::stop
  EncodedCode scalar;                     ///< the same for the scalar interpreter
  std::vector<double> constants;
  std::vector<InputRun> inputs;
  std::vector<OutputCopy> copies;
  Index first_output = 0;  ///< its register
  Index n_outputs = 0;
  Index n_registers = 0;
  Index n_operations = 0;
  int n_blocks = 0;
  std::unique_ptr<Tier> tier;  ///< when and what machine code there is

  /// What a call brings along.
  struct Call {
    const Code* workspace;  ///< whose workspace it is
    std::size_t n_blocks;
    std::size_t n_out;
    Index values_per_output;
  };
  /// Throws Error{internal} for a call that does not fit this code.
  void check(const Call& call) const {
    const bool fits = call.workspace == this &&
                      to_index(call.n_out) == n_outputs * call.values_per_output &&
                      to_index(call.n_blocks) >= n_blocks;
    if (!fits) [[unlikely]]
      refuse();
  }

 private:
  [[noreturn]] static void refuse();
};

}  // namespace daedal::kernel
