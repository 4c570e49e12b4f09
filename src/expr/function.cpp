// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/function.hpp>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <daedal/error.hpp>
#include <limits>
#include <mutex>
#include <utility>

#include "expr/external.hpp"
#include "expr/pool.hpp"

namespace daedal {

namespace {

struct Entry {
  std::string name;
  Function::Real f;
  int order = 0;      ///< of the derivative that it is
  int n_further = 0;  ///< derivatives that follow it
};

/// Evaluations read without a lock: an entry never changes nor moves once it is there.
constexpr std::size_t most_functions = 1U << 16U;
std::array<std::atomic<const Entry*>, most_functions> function_table;
std::atomic<std::size_t> n_functions{0};
std::mutex registering;

const Entry* entry_of(double number) {
  const auto i = static_cast<std::size_t>(number);
  return i < most_functions ? function_table[i].load(std::memory_order_acquire) : nullptr;
}

}  // namespace

double call_external(double x, double number) {
  const Entry* entry = entry_of(number);
  return entry != nullptr ? entry->f(x) : std::numeric_limits<double>::quiet_NaN();
}

std::array<double, 65> sample_external(double low, double high, double number) {
  std::array<double, 65> samples{};
  const double step = (high - low) / static_cast<double>(samples.size() - 1);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    try {
      samples[i] = call_external(low + static_cast<double>(i) * step, number);
    } catch (...) {
      samples[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return samples;
}

int further_derivatives(double number) {
  return entry_of(number)->n_further;
}

std::string external_name(double number) {
  const Entry& entry = *entry_of(number);
  return entry.name + std::string(static_cast<std::size_t>(entry.order), '\'');
}

Function::Function(std::string name, std::vector<Real> f_and_derivatives) {
  if (f_and_derivatives.empty() || !f_and_derivatives.front()) {
    throw ModelError(ErrorCode::invalid_value, fmt::format("The function '{}' is empty.", name));
  }
  for (std::size_t k = 1; k < f_and_derivatives.size(); ++k) {
    if (f_and_derivatives[k]) continue;
    throw ModelError(ErrorCode::invalid_value,
                     fmt::format("Derivative {} of the function '{}' is empty: leave it out where "
                                 "there is none.",
                                 k, name));
  }
  const std::lock_guard lock(registering);
  const std::size_t first = n_functions;
  if (first + f_and_derivatives.size() > most_functions) {
    throw ModelError(ErrorCode::unsupported,
                     fmt::format("There are more than {} functions.", most_functions));
  }
  number_ = static_cast<double>(first);
  const auto n = static_cast<int>(f_and_derivatives.size());
  for (int k = 0; k < n; ++k) {
    function_table[first + static_cast<std::size_t>(k)].store(
        new Entry{name, std::move(f_and_derivatives[static_cast<std::size_t>(k)]), k, n - 1 - k},
        std::memory_order_release);
  }
  n_functions = first + static_cast<std::size_t>(n);
}

Expr Function::operator()(Expr x) const {
  if (x.pool() == nullptr) return call_external(x.value(), number_);
  Pool& pool = *x.pool();
  return {pool, pool.binary(Op::external, x.id(), pool.constant(number_))};
}

}  // namespace daedal
