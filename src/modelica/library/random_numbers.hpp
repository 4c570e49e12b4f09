// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The generators of random numbers of the Modelica Standard Library, which are written in C there:
/// xorshift64*, xorshift128+ and xorshift1024* of S. Vigna, "An experimental exploration of
/// Marsaglia's xorshift generators, scrambled", ACM Trans. Math. Softw. 42 (2016) 30, and "Further
/// scramblings of Marsaglia's xorshift generators", J. Comput. Appl. Math. 315 (2017) 175-181.
///
/// A state is a vector of signed 32-bit Integers, two to a word of 64 bits, the lower half first.
/// The random number is the word as a signed integer, divided by 2^64, plus 1/2. Other than Vigna's
/// generators the first two keep the scrambled word, product or sum, in their state. A state that
/// is known now gives numbers; one that is known during the run gives exact arithmetic of doubles
/// on the bits of its words, bit for bit the same.

#include <span>
#include <string_view>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class RandomNumbers {
 public:
  RandomNumbers(Context& context, Structure& structure)
      : context_(context), structure_(structure) {}

  /// Whether a function, by its own name or that of the C function behind it, is a generator.
  [[nodiscard]] static bool has(std::string_view name, std::string_view external_name);
  /// The random number and the next state.
  std::vector<Value> call(std::string_view name, std::string_view external_name,
                          std::span<const Value> arguments, Position where);

  /// The generator that keeps its state itself, xorshift1024* too.
  [[nodiscard]] static bool is_impure(std::string_view name, std::string_view external_name);
  /// Its next number, in a when-clause.
  Value draw(Discretes& discretes, Position where);

 private:
  Context& context_;
  Structure& structure_;
};

}  // namespace daedal::modelica
