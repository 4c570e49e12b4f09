// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/random_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

namespace {

constexpr double two_to_16 = 65536.0;
constexpr double two_to_32 = 4294967296.0;

/// A word of 64 bits, each a node of value 0 or 1, the lowest first.
using Word = std::array<NodeId, 64>;

/// Arithmetic of words as expressions; of known words the pool makes constants at once.
class Words {
 public:
  explicit Words(Pool& pool) : pool_(pool) {}

  /// From its halves, signed Integers of 32 bits.
  Word join(NodeId low, NodeId high) {
    Word word;
    split(low, word.begin());
    split(high, word.begin() + 32);
    return word;
  }

  Word exclusive_or(const Word& a, const Word& b) {
    Word result;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const NodeId difference = pool_.sub(a[i], b[i]);
      result[i] = pool_.mul(difference, difference);
    }
    return result;
  }
  /// word << n; to the right where n is negative.
  Word shifted(const Word& word, int n) {
    Word result;
    for (int i = 0; i < 64; ++i) {
      const int from = i - n;
      result[static_cast<std::size_t>(i)] =
          from < 0 || from > 63 ? pool_.constant(0.0) : word[static_cast<std::size_t>(from)];
    }
    return result;
  }
  /// a ^ (a << n).
  Word shift_in(const Word& a, int n) { return exclusive_or(a, shifted(a, n)); }

  /// A word by the numbers of its halves, not negative.
  struct Halves {
    NodeId low;
    NodeId high;
  };
  Halves halves(const Word& word) { return {number(word, 0, 32), number(word, 32, 32)}; }
  /// a + b mod 2^64.
  Halves sum(const Word& a, const Word& b) {
    const NodeId low_sum = pool_.add(number(a, 0, 32), number(b, 0, 32));
    const NodeId carry = floored_ratio(low_sum, two_to_32);
    const NodeId high_sum = pool_.add(pool_.add(number(a, 32, 32), number(b, 32, 32)), carry);
    return {remainder(low_sum, carry, two_to_32),
            remainder(high_sum, floored_ratio(high_sum, two_to_32), two_to_32)};
  }
  /// factor * a mod 2^64. Limbs of 16 bits: a sum of four products and a carry stays below 2^35,
  /// exact in a double.
  Halves product(const Word& a, std::uint64_t factor) {
    std::array<NodeId, 4> limbs;
    NodeId carry = pool_.constant(0.0);
    for (int k = 0; k < 4; ++k) {
      NodeId total = carry;
      for (int i = 0; i <= k; ++i) {
        const auto limb = static_cast<double>((factor >> (16 * (k - i))) & 0xFFFFU);
        total = pool_.add(total, pool_.mul(pool_.constant(limb), number(a, 16 * i, 16)));
      }
      carry = floored_ratio(total, two_to_16);
      limbs[static_cast<std::size_t>(k)] = remainder(total, carry, two_to_16);
    }
    const NodeId unit = pool_.constant(two_to_16);
    return {pool_.add(limbs[0], pool_.mul(unit, limbs[1])),
            pool_.add(limbs[2], pool_.mul(unit, limbs[3]))};
  }
  /// The sum rounds as the conversion of the 64-bit integer to a double does, and then once more.
  NodeId random(const Halves& word) {
    const NodeId whole =
        pool_.add(pool_.mul(pool_.constant(two_to_32), as_signed(word.high)), word.low);
    return pool_.add(pool_.mul(pool_.constant(std::ldexp(1.0, -64)), whole), pool_.constant(0.5));
  }
  NodeId as_signed(NodeId half) {
    const NodeId large =
        pool_.immediate_relation(Op::greater_equal, half, pool_.constant(two_to_32 / 2));
    return pool_.if_else(large, pool_.sub(half, pool_.constant(two_to_32)), half);
  }
  /// a mod 2^n, not negative.
  NodeId low_bits(NodeId a, int n) {
    const double unit = std::ldexp(1.0, n);
    return remainder(a, floored_ratio(a, unit), unit);
  }

 private:
  NodeId floored_ratio(NodeId a, double unit) {
    return pool_.unary(Op::floor, pool_.mul(a, pool_.constant(1.0 / unit)));
  }
  NodeId remainder(NodeId a, NodeId quotient, double unit) {
    return pool_.sub(a, pool_.mul(pool_.constant(unit), quotient));
  }
  void split(NodeId half, Word::iterator bits) {
    const NodeId negative = pool_.immediate_relation(Op::less, half, pool_.constant(0.0));
    const NodeId number = pool_.if_else(negative, pool_.add(half, pool_.constant(two_to_32)), half);
    NodeId above = number;
    for (int i = 0; i < 32; ++i) {
      const NodeId shifted = floored_ratio(number, std::ldexp(1.0, i + 1));
      *bits++ = remainder(above, shifted, 2.0);
      above = shifted;
    }
  }
  /// The number of `length` bits from `first` on.
  NodeId number(const Word& word, int first, int length) {
    NodeId sum = pool_.constant(0.0);
    for (int i = 0; i < length; ++i) {
      const NodeId bit = word[static_cast<std::size_t>(first + i)];
      sum = pool_.add(sum, pool_.mul(pool_.constant(std::ldexp(1.0, i)), bit));
    }
    return sum;
  }

  Pool& pool_;
};

struct Outcome {
  NodeId random = no_node;
  std::vector<NodeId> state{};
};

/// The product is the next state.
Outcome xorshift64_star(Pool& pool, std::span<const NodeId> state) {
  Words words(pool);
  Word x = words.join(state[0], state[1]);
  x = words.shift_in(x, -12);
  x = words.shift_in(x, 25);
  x = words.shift_in(x, -27);
  const Words::Halves next = words.product(x, 2685821657736338717U);
  return {words.random(next), {words.as_signed(next.low), words.as_signed(next.high)}};
}

/// The sum is the second word of the next state.
Outcome xorshift128_plus(Pool& pool, std::span<const NodeId> state) {
  Words words(pool);
  const Word s1 = words.shift_in(words.join(state[0], state[1]), 23);
  const Word s0 = words.join(state[2], state[3]);
  const Word mixed = words.exclusive_or(words.shift_in(s1, -17), words.shift_in(s0, -26));
  const Words::Halves next = words.sum(mixed, s0);
  return {words.random(next),
          {state[2], state[3], words.as_signed(next.low), words.as_signed(next.high)}};
}

/// 16 words, then a number that counts them modulo 16.
Outcome xorshift1024_star(Pool& pool, std::span<const NodeId> state) {
  Words words(pool);
  const NodeId p = words.low_bits(state[32], 4);
  const NodeId next_p = words.low_bits(pool.add(p, pool.constant(1.0)), 4);
  const auto is_word = [&](NodeId which, std::size_t i) {
    return pool.immediate_relation(Op::equal, which, pool.constant(static_cast<double>(i)));
  };
  const auto word = [&](NodeId which) {
    NodeId low = state[30];
    NodeId high = state[31];
    for (std::size_t i = 15; i-- > 0;) {
      low = pool.if_else(is_word(which, i), state[2 * i], low);
      high = pool.if_else(is_word(which, i), state[2 * i + 1], high);
    }
    return words.join(low, high);
  };
  const Word s0 = words.shift_in(word(p), -30);
  const Word s1 = words.shift_in(words.shift_in(word(next_p), 31), -11);
  const Word mixed = words.exclusive_or(s0, s1);
  const Words::Halves next = words.halves(mixed);
  Outcome outcome{words.random(words.product(mixed, 1181783497276652981U)),
                  {state.begin(), state.end()}};
  for (std::size_t i = 0; i < 16; ++i) {
    const NodeId is_it = is_word(next_p, i);
    outcome.state[2 * i] = pool.if_else(is_it, words.as_signed(next.low), state[2 * i]);
    outcome.state[2 * i + 1] = pool.if_else(is_it, words.as_signed(next.high), state[2 * i + 1]);
  }
  outcome.state[32] = next_p;
  return outcome;
}

struct Generator {
  std::string_view name;
  std::string_view external_name;
  std::int64_t length;  ///< of the state
  Outcome (*step)(Pool& pool, std::span<const NodeId> state);
};

const Generator* find_generator(std::string_view name, std::string_view external_name) {
  static constexpr Generator generators[] = {
      {"Xorshift64star.random", "ModelicaRandom_xorshift64star", 2, xorshift64_star},
      {"Xorshift128plus.random", "ModelicaRandom_xorshift128plus", 4, xorshift128_plus},
      {"Xorshift1024star.random", "ModelicaRandom_xorshift1024star", 33, xorshift1024_star},
  };
  const auto* const row = std::ranges::find_if(generators, [&](const Generator& generator) {
    return name.ends_with(generator.name) || external_name == generator.external_name;
  });
  return row == std::end(generators) ? nullptr : row;
}

}  // namespace

bool RandomNumbers::has(std::string_view name, std::string_view external_name) {
  return find_generator(name, external_name) != nullptr;
}

std::vector<Value> RandomNumbers::call(std::string_view name, std::string_view external_name,
                                       std::span<const Value> arguments, Position where) {
  const Generator& generator = *find_generator(name, external_name);
  const bool fits = arguments.size() == 1 && arguments[0].type == Type::integer &&
                    arguments[0].shape == Shape{generator.length};
  if (!fits) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' takes a state of {} Integers.", name, generator.length));
  }
  std::vector<NodeId> state = arguments[0].nodes;
  for (NodeId& part : state)
    if (const auto number = structure_.fix(part)) part = context_.pool.constant(*number);
  Outcome outcome = generator.step(context_.pool, state);
  return {Value::scalar(Type::real, outcome.random),
          {.type = Type::integer, .shape = {generator.length}, .nodes = std::move(outcome.state)}};
}

bool RandomNumbers::is_impure(std::string_view name, std::string_view external_name) {
  return name.ends_with("Random.Utilities.impureRandom") ||
         external_name == "ModelicaRandom_impureRandom_xorshift1024star";
}

Value RandomNumbers::draw(Discretes& discretes, Position where) {
  ImpureRandom& impure = context_.impure;
  impure.where = where;
  if (impure.held.empty()) {
    for (int i = 0; i < 33; ++i)
      impure.held.push_back(discretes.add_hidden("random", ValueType::integer, 0.0, where));
  }
  if (impure.now.empty()) {
    for (const NodeId part : impure.held)
      impure.now.push_back(context_.builder.pre({context_.pool, part}).in(context_.pool));
  }
  Outcome outcome = xorshift1024_star(context_.pool, impure.now);
  impure.now = std::move(outcome.state);
  return Value::scalar(Type::real, outcome.random);
}

}  // namespace daedal::modelica
