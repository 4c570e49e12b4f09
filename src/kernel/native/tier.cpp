// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/native/tier.hpp"

#include <cstdlib>
#include <daedal/native.hpp>
#include <string_view>

#include "kernel/compiler/code.hpp"
#include "kernel/native/native_code.hpp"

namespace daedal {

namespace {

std::atomic<bool>& is_allowed() {
  static std::atomic<bool> allowed = [] {
    const char* const setting = std::getenv("DAEDAL_NATIVE");
    return setting == nullptr || std::string_view(setting) != "0";
  }();
  return allowed;
}

}  // namespace

void set_native_code(bool allowed) {
  is_allowed() = allowed;
}

bool native_code() {
  static const bool works = [] {
    kernel::Program::Code nothing;
    nothing.instructions.push_back({});
    nothing.n_registers = 1;
    return kernel::NativeCode::make(nothing) != nullptr;
  }();
  return works && is_allowed();
}

namespace kernel {

namespace {

/// As many evaluations by the interpreter lose as much time as it takes to assemble a program
/// (bench/kernel_bench): 55 ns an operation, and 10 us to get executable memory, against half a
/// nanosecond an operation of each evaluation.
Index evaluations_that_pay(Index n_operations) {
  return 110 + 16'000 / (10 + n_operations);
}

}  // namespace

Tier::Tier(Index n_operations)
    : left_(native_code() ? static_cast<std::int32_t>(evaluations_that_pay(n_operations)) : 0) {}

Tier::~Tier() {
  delete native();
}

void Tier::make(const Program::Code& code) {
  native_.store(NativeCode::make(code).release(), std::memory_order_release);
}

}  // namespace kernel
}  // namespace daedal
