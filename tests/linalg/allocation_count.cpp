// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdlib>
#include <new>

#include "linalg_support.hpp"

namespace {
std::atomic<long> allocations{0};
}

// The whole test program allocates through these.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace daedal::linalg {

AllocationCount::AllocationCount() : start_(allocations) {}
long AllocationCount::so_far() const {
  return allocations - start_;
}

}  // namespace daedal::linalg
