// SPDX-License-Identifier: BSD-3-Clause
#include <asmjit/x86.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernel/lanes/backends.hpp"
#include "kernel/native/micro_code.hpp"
#include "kernel/native/native_code.hpp"

// Debian's asmjit is compiled for programs, not for shared libraries: its messages refer to stderr
// in a way that these cannot link. They are for its own debugging; these stand in for them.
ASMJIT_BEGIN_NAMESPACE
namespace DebugUtils {
const char* errorAsString(Error /*error*/) noexcept {
  return "asmjit";
}
void debugOutput(const char* /*text*/) noexcept {}
void assertionFailed(const char* /*file*/, int /*line*/, const char* /*message*/) noexcept {
  __builtin_trap();
}
}  // namespace DebugUtils
ASMJIT_END_NAMESPACE

namespace daedal::kernel {

namespace {

namespace x86 = asmjit::x86;

constexpr std::uint32_t n_vectors = 16;

/// Constants before the code, two numbers each, since some instructions read both.
enum Pooled : std::int32_t { pooled_zero = 0, pooled_one = 16, pooled_sign = 32, pooled_rest = 48 };
constexpr std::array<std::uint64_t, 8> pool{0,
                                            0,
                                            0x3ff0'0000'0000'0000,
                                            0x3ff0'0000'0000'0000,
                                            0x8000'0000'0000'0000,
                                            0x8000'0000'0000'0000,
                                            0x7fff'ffff'ffff'ffff,
                                            0x7fff'ffff'ffff'ffff};

/// The instructions of the operations on two operands, by Micro. Comparisons follow C++: with NaN
/// they are false, except for "not equal".
struct Binary {
  x86::Inst::Id instruction;
  x86::VCmpImm comparison = {};
};
constexpr std::array<Binary, 12> binary{{{x86::Inst::kIdVaddsd},
                                         {x86::Inst::kIdVsubsd},
                                         {x86::Inst::kIdVmulsd},
                                         {x86::Inst::kIdVdivsd},
                                         {x86::Inst::kIdVandpd},
                                         {x86::Inst::kIdVorpd},
                                         {x86::Inst::kIdVcmpsd, x86::VCmpImm::kLT_OQ},
                                         {x86::Inst::kIdVcmpsd, x86::VCmpImm::kLE_OQ},
                                         {x86::Inst::kIdVcmpsd, x86::VCmpImm::kGT_OQ},
                                         {x86::Inst::kIdVcmpsd, x86::VCmpImm::kGE_OQ},
                                         {x86::Inst::kIdVcmpsd, x86::VCmpImm::kEQ_OQ},
                                         {x86::Inst::kIdVcmpsd, x86::VCmpImm::kNEQ_UQ}}};

/// Offsets of addresses have 31 bits.
constexpr std::int64_t largest_offset = std::numeric_limits<std::int32_t>::max() / 8 - 1;

/// General registers: what a function may use freely, and what it must restore, as functions that
/// it calls do.
constexpr std::array scratch{x86::rdi, x86::rsi, x86::rdx, x86::rcx,
                             x86::r8,  x86::r9,  x86::r10, x86::r11};
constexpr std::array preserved{x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};

/// Remembers that something went wrong: then there is no code.
struct Failures : asmjit::ErrorHandler {
  bool is_any = false;
  void handleError(asmjit::Error /*error*/, const char* /*message*/,
                   asmjit::BaseEmitter* /*origin*/) override {
    is_any = true;
  }
};

/// After the six registers and the return address, the room for sin_cos leaves the stack aligned.
constexpr int frame_size = 3 * 8 * static_cast<int>(SinCosOfSeveral::stride) + 8;

class Assembler {
 public:
  explicit Assembler(const Program::Code& code)
      : code_(code), micro_(take_apart(code)), location_(micro_.n_values()) {}

  Assembled run() {
    if (!fits()) return {};
    for (const InputRun& run : code_.inputs) {
      for (std::int64_t i = 0; i < run.count; ++i) {
        inputs_.push_back({static_cast<std::uint32_t>(run.block),
                           static_cast<std::int32_t>(8 * (run.offset + i))});
      }
    }
    if (holder_.init(asmjit::Environment::host()) != asmjit::kErrorOk) return {};
    holder_.setErrorHandler(&failures_);
    holder_.attach(&asm_);
    pool_ = asm_.newLabel();
    asm_.bind(pool_);
    asm_.embed(pool.data(), sizeof pool);
    const std::size_t entry = asm_.offset();
    assign_general_registers();
    enter();
    for (std::size_t i = 0; i < micro_.operations.size();) {
      const MicroOperation& operation = micro_.operations[i];
      if (operation.result == no_micro) {
        ++i;
      } else if (operation.kind == Micro::sin_cos) {
        i = emit_sin_cos(i);
      } else if (operation.kind == Micro::call) {
        emit_call(operation, static_cast<std::uint32_t>(i++));
      } else {
        if (operation.kind == Micro::select) {
          emit_select(operation);
        } else if (operation.kind < Micro::negate) {
          emit_binary(operation);
        } else {
          emit_unary(operation);
        }
        ++i;
      }
    }
    for (const OutputCopy& copy : code_.copies) {
      const bool is_input = copy.from >= micro_.first_input && copy.from < micro_.zero;
      asm_.vmovsd(xmm(0),
                  is_input ? input_home(copy.from - micro_.first_input) : register_home(copy.from));
      asm_.vmovsd(register_home(copy.to), xmm(0));
    }
    leave();
    if (failures_.is_any) return {};
    const asmjit::CodeBuffer& buffer = holder_.textSection()->buffer();
    return {.bytes = {buffer.begin(), buffer.end()}, .entry = entry};
  }

 private:
  /// A value between its making and its last use.
  struct Location {
    std::uint8_t vector = n_vectors;  ///< the register that holds it, if any
    bool is_stored = false;           ///< has its value in memory too
  };
  struct Held {
    std::uint32_t value = no_micro;
    std::uint32_t next_use = no_micro;
  };
  struct Place {
    std::uint32_t block;
    std::int32_t offset;
  };

  [[nodiscard]] bool is_output(std::uint32_t at) const {
    return at >= code_.first_output && at < code_.first_output + code_.n_outputs;
  }
  x86::Mem pooled(Pooled at) const { return x86::ptr(pool_, at); }
  static x86::Xmm xmm(std::uint32_t number) { return x86::Xmm(number); }
  /// On the stack, for arguments and results of functions.
  static x86::Mem room(std::size_t at) {
    return x86::ptr(x86::rsp, static_cast<std::int32_t>(8 * at));
  }
  [[nodiscard]] bool is_held(std::uint32_t value) const {
    return location_[value].vector != n_vectors;
  }
  /// Lives within one instruction of the program, and has no place in memory.
  [[nodiscard]] bool is_passing(std::uint32_t value) const {
    return value >= micro_.first_computed() &&
           micro_.register_of[value - micro_.first_computed()] == no_micro;
  }

  [[nodiscard]] bool fits() const {
    if (code_.n_registers > largest_offset) return false;
    return std::ranges::all_of(
        code_.inputs, [](const InputRun& run) { return run.offset + run.count <= largest_offset; });
  }

  void assign_general_registers() {
    has_calls_ = std::ranges::any_of(micro_.operations, [](const MicroOperation& operation) {
      return operation.result != no_micro &&
             (operation.kind == Micro::call || operation.kind == Micro::sin_cos);
    });
    std::vector<x86::Gp> available(scratch.begin(), scratch.end());
    if (has_calls_) available.assign(preserved.begin(), preserved.end());
    blocks_ = available[0];
    out_ = available[1];
    registers_ = available[2];
    std::size_t next = 3;
    block_.assign(to_size(code_.n_blocks), x86::rax);
    std::vector<bool> is_used(block_.size(), false);
    for (const InputRun& run : code_.inputs) {
      if (is_used[to_size(run.block)]) continue;
      is_used[to_size(run.block)] = true;
      if (next < available.size()) block_[to_size(run.block)] = available[next++];
    }
  }

  void enter() {
    if (has_calls_) {
      for (const x86::Gp& gp : preserved) asm_.push(gp);
      asm_.sub(x86::rsp, frame_size);
      asm_.mov(blocks_, x86::rdi);
      asm_.mov(out_, x86::rsi);
      asm_.mov(registers_, x86::rdx);
    }
    for (std::size_t b = 0; b < block_.size(); ++b) {
      if (block_[b] != x86::rax) asm_.mov(block_[b], x86::ptr(blocks_, static_cast<int>(8 * b)));
    }
  }

  void leave() {
    if (has_calls_) {
      asm_.add(x86::rsp, frame_size);
      for (std::size_t i = preserved.size(); i-- > 0;) asm_.pop(preserved[i]);
    }
    asm_.ret();
  }

  x86::Mem register_home(std::uint32_t at) const {
    if (is_output(at)) {
      return x86::ptr(out_, static_cast<std::int32_t>(8 * (at - code_.first_output)));
    }
    return x86::ptr(registers_, static_cast<std::int32_t>(8 * at));
  }

  x86::Mem input_home(std::uint32_t number) {
    const Place& place = inputs_[number];
    const x86::Gp& base = block_[place.block];
    if (base == x86::rax && block_in_rax_ != place.block) {
      asm_.mov(x86::rax, x86::ptr(blocks_, static_cast<std::int32_t>(8 * place.block)));
      block_in_rax_ = place.block;
    }
    return x86::ptr(base, place.offset);
  }

  x86::Mem home(std::uint32_t value) {
    if (value < micro_.first_input) return register_home(value);
    if (value < micro_.zero) return input_home(value - micro_.first_input);
    if (value < micro_.first_computed()) {
      return pooled(value == micro_.zero ? pooled_zero : pooled_one);
    }
    return register_home(micro_.register_of[value - micro_.first_computed()]);
  }

  /// A register for something new: a free one, or that whose value is used last of all.
  std::uint32_t free_vector(std::uint32_t locked_a = no_micro, std::uint32_t locked_b = no_micro) {
    if (free_ != 0) return static_cast<std::uint32_t>(std::countr_zero(free_));
    std::uint32_t best = no_micro;
    for (std::uint32_t i = 0; i < n_vectors; ++i) {
      if (i == locked_a || i == locked_b || is_passing(held_[i].value)) continue;
      if (best == no_micro || held_[i].next_use > held_[best].next_use) best = i;
    }
    store(best);
    forget(best);
    return best;
  }

  std::uint32_t furthest_use() const {
    if (free_ != 0) return no_micro;
    std::uint32_t furthest = 0;
    for (const Held& held : held_) furthest = std::max(furthest, held.next_use);
    return furthest;
  }

  void store(std::uint32_t vector) {
    Location& location = location_[held_[vector].value];
    if (location.is_stored || held_[vector].value < micro_.first_computed()) return;
    asm_.vmovsd(home(held_[vector].value), xmm(vector));
    location.is_stored = true;
  }

  void forget(std::uint32_t vector) {
    if (held_[vector].value == no_micro) return;
    location_[held_[vector].value].vector = n_vectors;
    held_[vector] = {};
    free_ |= 1U << vector;
  }

  void hold(std::uint32_t vector, std::uint32_t value, std::uint32_t next_use) {
    held_[vector] = {value, next_use};
    free_ &= ~(1U << vector);
    location_[value].vector = static_cast<std::uint8_t>(vector);
  }

  std::uint32_t load(std::uint32_t value, std::uint32_t next_use, std::uint32_t locked_a = no_micro,
                     std::uint32_t locked_b = no_micro) {
    if (is_held(value)) return location_[value].vector;
    const std::uint32_t vector = free_vector(locked_a, locked_b);
    asm_.vmovsd(xmm(vector), home(value));
    hold(vector, value, next_use);
    return vector;
  }

  /// An operand has been used.
  void use(std::uint32_t value, std::uint32_t next_use) {
    if (!is_held(value)) return;
    const std::uint32_t vector = location_[value].vector;
    held_[vector].next_use = next_use;
    if (next_use == no_micro) forget(vector);
  }

  /// The instruction before has put a new value in a register.
  void define(std::uint32_t vector, std::uint32_t value) {
    const std::uint32_t number = value - micro_.first_computed();
    hold(vector, value, micro_.first_use[number]);
    const std::uint32_t at = micro_.register_of[number];
    if (at != no_micro && is_output(at)) store(vector);
    if (micro_.first_use[number] == no_micro) forget(vector);
  }

  void emit_binary(MicroOperation operation) {
    auto& [a, b, unused] = operation.operands;
    auto& [next_a, next_b, unused_next] = operation.next_use;
    const bool commutes = operation.kind == Micro::add || operation.kind == Micro::mul ||
                          operation.kind == Micro::both || operation.kind == Micro::either;
    if (commutes && !is_held(a) && (is_held(b) || next_b < next_a)) {
      std::swap(a, b);
      std::swap(next_a, next_b);
    }
    const std::uint32_t va = load(a, next_a);
    if (!is_held(b) && next_b != no_micro && next_b < furthest_use()) load(b, next_b, va);
    const x86::Xmm xa = xmm(va);
    const bool b_is_held = is_held(b);
    const x86::Xmm xb = xmm(b_is_held ? location_[b].vector : 0);
    const x86::Mem mb = b_is_held ? x86::Mem() : home(b);
    use(a, next_a);
    use(b, next_b);
    const std::uint32_t to = free_vector();
    const auto [instruction, comparison] = binary[static_cast<std::size_t>(operation.kind)];
    asmjit::Operand second = mb;
    if (b_is_held) second = xb;
    if (instruction == x86::Inst::kIdVcmpsd) {
      asm_.emit(instruction, xmm(to), xa, second, asmjit::Imm(static_cast<int>(comparison)));
    } else {
      asm_.emit(instruction, xmm(to), xa, second);
    }
    define(to, operation.result);
  }

  void emit_unary(const MicroOperation& operation) {
    const std::uint32_t a = operation.operands[0];
    const x86::Xmm xa = xmm(load(a, operation.next_use[0]));
    use(a, operation.next_use[0]);
    const std::uint32_t to = free_vector();
    switch (operation.kind) {
      case Micro::negate:
        asm_.vxorpd(xmm(to), xa, pooled(pooled_sign));
        break;
      case Micro::absolute:
        asm_.vandpd(xmm(to), xa, pooled(pooled_rest));
        break;
      case Micro::square_root:
        asm_.vsqrtsd(xmm(to), xa, xa);
        break;
      default:
        asm_.vroundsd(xmm(to), xa, xa, static_cast<int>(x86::RoundImm::kDown));
        break;
    }
    define(to, operation.result);
  }

  void emit_select(const MicroOperation& operation) {
    const auto [mask, x, y] = operation.operands;
    const std::uint32_t vm = load(mask, operation.next_use[0]);
    const std::uint32_t vx = load(x, operation.next_use[1], vm);
    const std::uint32_t vy = load(y, operation.next_use[2], vm, vx);
    for (std::size_t k = 0; k < 3; ++k) use(operation.operands[k], operation.next_use[k]);
    const std::uint32_t to = free_vector();
    asm_.vblendvpd(xmm(to), xmm(vy), xmm(vx), xmm(vm));
    define(to, operation.result);
  }

  /// Functions leave no vector register as it was: what is used after `now` goes to memory.
  void store_live(std::uint32_t now) {
    for (std::uint32_t i = 0; i < n_vectors; ++i) {
      if (held_[i].value != no_micro && held_[i].next_use != no_micro && held_[i].next_use > now)
        store(i);
    }
  }

  void call(const void* function) {
    asm_.mov(x86::rax, reinterpret_cast<std::uint64_t>(function));
    asm_.call(x86::rax);
    block_in_rax_ = no_micro;
    for (std::uint32_t i = 0; i < n_vectors; ++i) forget(i);
  }

  void emit_call(const MicroOperation& operation, std::uint32_t now) {
    for (std::size_t k = 0; k < 2 && operation.operands[k] != no_micro; ++k) {
      if (is_held(operation.operands[k])) {
        held_[location_[operation.operands[k]].vector].next_use = operation.next_use[k];
      }
    }
    store_live(now);
    // Through memory: the one may stand where the other is wanted.
    for (std::uint32_t k = 0; k < 2 && operation.operands[k] != no_micro; ++k) {
      const std::uint32_t value = operation.operands[k];
      if (is_held(value)) asm_.vmovsd(room(k), xmm(location_[value].vector));
    }
    for (std::uint32_t k = 0; k < 2 && operation.operands[k] != no_micro; ++k) {
      const std::uint32_t value = operation.operands[k];
      asm_.vmovsd(xmm(k), is_held(value) ? room(k) : home(value));
    }
    call(operation.function);
    define(0, operation.result);
  }

  /// All neighbours at once, as far as none needs another and the processor takes them; returns the
  /// number after the last.
  std::size_t emit_sin_cos(std::size_t first) {
    const auto& operations = micro_.operations;
    // The baseline, AVX2 and AVX-512 take two, four and eight.
    const std::array kinds{&sin_cos_2, &sin_cos_4, &sin_cos_8};
    const std::size_t widest = kinds[available_lane_backends().size() - 1]->width;
    std::size_t last = first + 1;
    while (last < operations.size() && last - first < widest &&
           operations[last].kind == Micro::sin_cos &&
           operations[last].operands[0] < operations[first].result) {
      ++last;
    }
    const SinCosOfSeveral* const several = *std::ranges::find_if(
        kinds, [&](const SinCosOfSeveral* kind) { return kind->width >= last - first; });
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t a = operations[i].operands[0];
      const std::uint32_t va = load(a, operations[i].next_use[0]);
      const std::size_t end = i + 1 == last ? several->width : i + 1 - first;
      for (std::size_t at = i - first; at < end; ++at) asm_.vmovsd(room(at), xmm(va));
      use(a, operations[i].next_use[0]);
    }
    store_live(static_cast<std::uint32_t>(last) - 1);
    asm_.mov(x86::rdi, x86::rsp);
    call(reinterpret_cast<const void*>(several->function));
    for (std::size_t i = first; i < last; ++i) {
      for (const auto& [value, group] : {std::pair(operations[i].result, std::size_t{1}),
                                         std::pair(operations[i].cosine, std::size_t{2})}) {
        const std::uint32_t to = free_vector();
        asm_.vmovsd(xmm(to), room(group * SinCosOfSeveral::stride + i - first));
        define(to, value);
      }
    }
    return last;
  }

  const Program::Code& code_;
  MicroCode micro_;
  std::vector<Location> location_;
  std::array<Held, n_vectors> held_;
  std::uint32_t free_ = (1U << n_vectors) - 1;  ///< vectors that hold nothing, as bits
  std::vector<Place> inputs_;

  Failures failures_;
  asmjit::CodeHolder holder_;
  x86::Assembler asm_;
  asmjit::Label pool_;
  bool has_calls_ = false;
  x86::Gp blocks_, out_, registers_;
  std::vector<x86::Gp> block_;  ///< by block; rax of those that are loaded where they are used
  std::uint32_t block_in_rax_ = no_micro;
};

}  // namespace

Assembled assemble(const Program::Code& code) {
  return Assembler(code).run();
}

}  // namespace daedal::kernel
