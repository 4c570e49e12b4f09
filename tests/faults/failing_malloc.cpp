// SPDX-License-Identifier: BSD-3-Clause
// operator new and KLU allocate by these functions, which the dynamic linker takes from the program
// first. Calls by others succeed: Eigen 3.4 frees a matrix twice whose resize() fails, SUNDIALS 6
// dereferences vectors that it could not make, and the dynamic linker ends the program.
#include "faults/failing_malloc.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
}

namespace {

constexpr long never = std::numeric_limits<long>::max();

std::atomic<long> count{0};
std::atomic<long> first_failure{never};
std::atomic<long> last_failure{never};

struct Range {
  std::uintptr_t begin = 0, end = 0;
};
/// Where the code of the callers is whose calls may fail.
std::array<Range, 8> callers;
std::size_t n_callers = 0;

int add_caller(dl_phdr_info* library, std::size_t, void*) {
  constexpr std::string_view names[] = {"libstdc++.so", "libklu.so",    "libbtf.so",
                                        "libamd.so",    "libcolamd.so", "libsuitesparseconfig.so"};
  const std::string_view path = library->dlpi_name;
  const bool may_fail = std::ranges::any_of(
      names, [&](std::string_view name) { return path.find(name) != std::string_view::npos; });
  for (int i = 0; may_fail && i < library->dlpi_phnum && n_callers < callers.size(); ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
    callers.at(n_callers++) = {begin, begin + part.p_memsz};
  }
  return 0;
}

bool fails(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (std::none_of(callers.begin(), callers.end(), [&](const Range& range) {
        return range.begin <= address && address < range.end;
      })) {
    return false;
  }
  const long call = count.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool is_out_of_memory = call >= first_failure.load(std::memory_order_relaxed) &&
                                call <= last_failure.load(std::memory_order_relaxed);
  if (is_out_of_memory) errno = ENOMEM;
  return is_out_of_memory;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) noexcept {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(n, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}
}

namespace daedal::test {

long restart_allocation_count() {
  if (n_callers == 0) dl_iterate_phdr(add_caller, nullptr);
  return count.exchange(0);
}

void fail_allocation(long n, Failing failing) {
  heal_allocation();
  count = 0;
  last_failure = failing == Failing::once ? n : never - 1;
  first_failure = n;
}

void heal_allocation() {
  first_failure = never;
}

}  // namespace daedal::test
