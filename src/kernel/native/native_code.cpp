// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/native/native_code.hpp"

#if defined(DAEDAL_NATIVE)
#include <asmjit/core.h>
#endif

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/short_copy.hpp"

namespace daedal::kernel {

#if defined(DAEDAL_NATIVE)

namespace {

/// A page that may be executed, written before and read-only from then on.
void* make_executable(const std::vector<std::uint8_t>& bytes, std::size_t size) {
  using asmjit::VirtMem::MemoryFlags;
  void* memory = nullptr;
  if (asmjit::VirtMem::alloc(&memory, size, MemoryFlags::kAccessRW) != asmjit::kErrorOk) {
    return nullptr;
  }
  std::memcpy(memory, bytes.data(), bytes.size());
  if (asmjit::VirtMem::protect(memory, size, MemoryFlags::kAccessRX) != asmjit::kErrorOk) {
    asmjit::VirtMem::release(memory, size);
    return nullptr;
  }
  asmjit::VirtMem::flushInstructionCache(memory, size);
  return memory;
}

}  // namespace

std::unique_ptr<const NativeCode> NativeCode::make(const Program::Code& code) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx")) return nullptr;
  // Functions of the user may throw, and nothing unwinds a frame of machine code.
  const auto is_external = [](const Instruction& i) { return i.operation == Operation::external; };
  if (std::ranges::any_of(code.instructions, is_external)) return nullptr;
  const Assembled assembled = assemble(code);
  if (assembled.bytes.empty()) return nullptr;
  std::unique_ptr<NativeCode> native(new NativeCode(code));
  const std::size_t page = asmjit::VirtMem::info().pageSize;
  native->size_ = (assembled.bytes.size() + page - 1) / page * page;
  native->memory_ = make_executable(assembled.bytes, native->size_);
  if (native->memory_ == nullptr) return nullptr;
  native->function_ =
      reinterpret_cast<Function>(static_cast<std::uint8_t*>(native->memory_) + assembled.entry);
  return native;
}

NativeCode::~NativeCode() {
  if (memory_ != nullptr) asmjit::VirtMem::release(memory_, size_);
}

#else

std::unique_ptr<const NativeCode> NativeCode::make(const Program::Code& /*code*/) {
  return nullptr;
}

NativeCode::~NativeCode() = default;

#endif

NativeCode::NativeCode(const Program::Code& code)
    : first_output_(to_size(code.first_output)), n_outputs_(to_size(code.n_outputs)) {
  for (const InputRun& run : code.inputs) {
    if (extents_.empty() || extents_.back().block != run.block) {
      extents_.push_back({run.block, run.offset, run.offset});
    }
    extents_.back().end = run.offset + run.count;
  }
}

void NativeCode::run(const double* const* blocks, double* out, double* registers) const {
  // So few are sooner copied than all inputs compared.
  constexpr std::size_t few_outputs = 32;
  if (n_outputs_ <= few_outputs) {
    run(blocks, registers);
    copy_short(registers + first_output_, n_outputs_, out);
    return;
  }
  // Outputs are written as they are made, while the interpreter has read every input by then.
  const std::less<const double*> before;
  bool overlaps = false;
  for (const Extent& extent : extents_) {
    const double* const block = blocks[extent.block];
    overlaps |= before(block + extent.begin, out + n_outputs_) && before(out, block + extent.end);
  }
  if (!overlaps) [[likely]] {
    function_(blocks, out, registers);
    return;
  }
  function_(blocks, registers + first_output_, registers);
  std::copy_n(registers + first_output_, n_outputs_, out);
}

}  // namespace daedal::kernel
