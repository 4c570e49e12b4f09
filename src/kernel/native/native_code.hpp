// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A program as machine code of x86-64, written with asmjit.
///
/// Numbers, comparisons and functions are those of the scalar interpreter to the last bit: the same
/// operations in the same order, none contracted, and the same functions of the C library. What is
/// saved is the dispatch, and most loads and stores: the sixteen vector registers hold the values
/// whose next use is nearest (L. A. Belady, A study of replacement algorithms for a virtual-storage
/// computer, IBM Systems Journal 5, 1966).

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/compiler/code.hpp"

namespace daedal::kernel {

/// Bytes that run at any address: constants, then from `entry` on a function of
/// (const double* const* blocks, double* out, double* registers).
struct Assembled {
  std::vector<std::uint8_t> bytes;  ///< empty if the program is beyond what the code can address
  std::size_t entry = 0;
};
Assembled assemble(const Program::Code& code);

class NativeCode {
 public:
  /// Null where the processor is not supported or the system forbids executable memory.
  static std::unique_ptr<const NativeCode> make(const Program::Code& code);

  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;
  ~NativeCode();

  /// `registers` are those of a workspace of the program; `out` may lie anywhere, also in a block.
  void run(const double* const* blocks, double* out, double* registers) const;
  /// Leaves the outputs in their registers, which no block overlaps.
  void run(const double* const* blocks, double* registers) const {
    function_(blocks, registers + first_output_, registers);
  }

 private:
  /// What is read of a block: from `begin` up to `end`.
  struct Extent {
    std::int64_t block;
    std::int64_t begin;
    std::int64_t end;
  };
  using Function = void (*)(const double* const* blocks, double* out, double* registers);

  explicit NativeCode(const Program::Code& code);

  std::vector<Extent> extents_;
  std::size_t first_output_;
  std::size_t n_outputs_;
  void* memory_ = nullptr;  ///< readable and executable, never writable at the same time
  std::size_t size_ = 0;
  Function function_ = nullptr;
};

}  // namespace daedal::kernel
