// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A vector of doubles that starts on a cache line, so that no register of eight lanes straddles
/// two.

#include <cstddef>
#include <new>
#include <vector>

namespace daedal::kernel {

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

using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

}  // namespace daedal::kernel
