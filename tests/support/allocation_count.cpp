// SPDX-License-Identifier: BSD-3-Clause
// The global operators of a test program, replaced in a file of their own: where the compiler sees
// both sides of a pair it takes free() for a mismatch.
#include "support/allocation_count.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> count{0};

void* try_allocate(std::size_t size, std::size_t alignment) {
  count.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size / alignment + 1) * alignment;
  return std::aligned_alloc(alignment, rounded);
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (void* memory = try_allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// std::stable_sort asks for its buffer in this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return try_allocate(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace daedal::test {

long n_allocations() {
  return count.load(std::memory_order_relaxed);
}

}  // namespace daedal::test
