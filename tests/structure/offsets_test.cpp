// SPDX-License-Identifier: BSD-3-Clause
#include "structure/offsets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <random>
#include <vector>

#include "structure/brute_force.hpp"
#include "structure/systems.hpp"
#include "support/pantelides.hpp"

namespace daedal::structure {
namespace {

Offsets offsets_of(const Signature& signature) {
  const auto assignment = highest_value_transversal(signature);
  EXPECT_TRUE(assignment.has_value());
  return assignment ? canonical_offsets(signature, *assignment) : Offsets{};
}

/// The smallest offsets by their definition alone: the least c with which some permutation meets
/// all conditions, found by enumeration of c up to a bound.
Offsets brute_force_offsets(const Signature& signature, Index best_value) {
  const std::size_t n = to_size(signature.n_rows());
  // c_i never needs more than the sum of the highest orders of the other equations.
  Index bound = 0;
  for (Index i = 0; i < signature.n_rows(); ++i) {
    const auto orders = signature.orders(i);
    bound += *std::max_element(orders.begin(), orders.end());
  }
  Offsets smallest;
  std::vector<Index> c(n, 0);
  while (true) {
    std::vector<Index> d(n, 0);
    Index gap = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Index order = signature.order(to_index(i), to_index(j));
        if (order >= 0) d[j] = std::max(d[j], order + c[i]);
      }
      gap -= c[i];
    }
    for (const Index dj : d) gap += dj;
    // Duality: Σd - Σc equals the value of the best transversal exactly where equality holds on it.
    if (gap == best_value) {
      if (smallest.c.empty()) smallest = {c, d};
      for (std::size_t i = 0; i < n; ++i) {
        smallest.c[i] = std::min(smallest.c[i], c[i]);
        smallest.d[i] = std::min(smallest.d[i], d[i]);
      }
    }
    std::size_t digit = 0;
    while (digit < n && c[digit] == bound) c[digit++] = 0;
    if (digit == n) return smallest;
    ++c[digit];
  }
}

TEST(SigmaMethod, GivesThePendulumsOffsetsOfTheLiterature) {
  const Signature pendulum = test::chained_pendula(1);
  const auto assignment = highest_value_transversal(pendulum);
  ASSERT_TRUE(assignment.has_value());
  EXPECT_EQ(assignment->value, 2);
  const Offsets offsets = canonical_offsets(pendulum, *assignment);
  EXPECT_EQ(offsets.c, (std::vector<Index>{0, 0, 2}));
  EXPECT_EQ(offsets.d, (std::vector<Index>{2, 2, 0}));
  EXPECT_EQ(structural_index(offsets), 3);
  EXPECT_EQ(n_states(offsets), 2);
}

TEST(SigmaMethod, ChainedPendulaHaveIndexTwoPPlusOneAndTwoPStates) {
  for (Index n = 1; n <= 10; ++n) {
    const Signature signature = test::chained_pendula(n);
    const Offsets offsets = offsets_of(signature);
    EXPECT_EQ(structural_index(offsets), 2 * n + 1);
    EXPECT_EQ(n_states(offsets), 2 * n);
    // The rod of pendulum p is differentiated twice more than that of the next one.
    for (Index p = 0; p < n; ++p) EXPECT_EQ(offsets.c[to_size(3 * p + 2)], 2 * (n - p));
  }
}

TEST(SigmaMethod, MechanismsHaveIndexThreeAndTwiceTheirMobilityInStates) {
  const Offsets squeezer = offsets_of(test::mechanism(7, 6));
  EXPECT_EQ(structural_index(squeezer), 3);
  EXPECT_EQ(n_states(squeezer), 2);
  const Offsets four_bar = offsets_of(test::mechanism(3, 2));
  EXPECT_EQ(structural_index(four_bar), 3);
  EXPECT_EQ(n_states(four_bar), 2);
  const Offsets free_body = offsets_of(test::mechanism(6, 0));
  EXPECT_EQ(structural_index(free_body), 0);
  EXPECT_EQ(n_states(free_body), 12);
}

TEST(SigmaMethod, KnowsOrdinaryAndIndexOneSystems) {
  const Offsets ode = offsets_of(test::differential_chain(5));
  EXPECT_EQ(structural_index(ode), 0);
  EXPECT_EQ(n_states(ode), 5);
  Signature robertson(3);
  robertson.add_row(std::vector<SignatureEntry>{{0, 1}, {1, 0}, {2, 0}});
  robertson.add_row(std::vector<SignatureEntry>{{0, 0}, {1, 1}, {2, 0}});
  robertson.add_row(std::vector<SignatureEntry>{{0, 0}, {1, 0}, {2, 0}});
  EXPECT_EQ(structural_index(offsets_of(robertson)), 1);
  EXPECT_EQ(n_states(offsets_of(robertson)), 2);
  EXPECT_EQ(structural_index(offsets_of(Signature(0))), 0);
}

TEST(SigmaMethod, RefusesSingularAndRectangularSystems) {
  Signature singular(2);
  singular.add_row(std::vector<SignatureEntry>{{0, 1}});
  singular.add_row(std::vector<SignatureEntry>{{0, 0}});
  EXPECT_FALSE(highest_value_transversal(singular).has_value());
  EXPECT_FALSE(test::pantelides(singular).has_value());
  Signature short_of_one(2);
  short_of_one.add_row(std::vector<SignatureEntry>{{0, 1}, {1, 0}});
  EXPECT_FALSE(highest_value_transversal(short_of_one).has_value());
  EXPECT_FALSE(test::pantelides(short_of_one).has_value());
}

TEST(SigmaMethod, AgreesWithBruteForceOnRandomSystems) {
  std::mt19937 random(20);
  int n_regular = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Index n = 1 + trial % 6;
    const double density = 0.25 + 0.1 * (trial % 7);
    const Signature signature = test::random_signature(random, n, n, density, 3);
    const auto expected = test::best_value(signature);
    const auto found = highest_value_transversal(signature);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) continue;
    ++n_regular;
    EXPECT_EQ(found->value, *expected);
    Index sum = 0;
    for (Index i = 0; i < n; ++i) {
      const Index j = found->transversal.column_of_row[to_size(i)];
      EXPECT_EQ(found->transversal.row_of_column[to_size(j)], i);
      sum += signature.order(i, j);
    }
    EXPECT_EQ(sum, *expected);
  }
  EXPECT_GT(n_regular, 1000);
}

TEST(SigmaMethod, GivesTheSmallestOffsetsOnRandomSystems) {
  std::mt19937 random(21);
  int n_high_index = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Index n = 1 + trial % 4;
    const Signature signature =
        test::random_signature(random, n, n, 0.35 + 0.1 * (trial % 6), n == 4 ? 1 : 2);
    const auto best = test::best_value(signature);
    if (!best) continue;
    const Offsets expected = brute_force_offsets(signature, *best);
    EXPECT_EQ(offsets_of(signature), expected);
    n_high_index += structural_index(expected) > 1 ? 1 : 0;
  }
  EXPECT_GT(n_high_index, 200);
}

TEST(Pantelides, AgreesWithTheSigmaMethodOnRandomSystems) {
  std::mt19937 random(22);
  int n_regular = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Index n = 1 + trial % 20;
    const double density = std::min(1.0, 0.1 * (1 + trial % 5) + 1.5 / static_cast<double>(n));
    const Signature signature = test::random_signature(random, n, n, density, 3);
    const auto result = test::pantelides(signature);
    const auto assignment = highest_value_transversal(signature);
    ASSERT_EQ(result.has_value(), assignment.has_value());
    if (!result) continue;
    ++n_regular;
    EXPECT_EQ(result->offsets, canonical_offsets(signature, *assignment));
    EXPECT_TRUE(result->matching.is_perfect());
    for (Index i = 0; i < n; ++i) {
      const Index j = result->matching.column_of_row[to_size(i)];
      EXPECT_EQ(result->offsets.d[to_size(j)] - result->offsets.c[to_size(i)],
                signature.order(i, j));
    }
  }
  EXPECT_GT(n_regular, 1000);
}

TEST(Pantelides, DifferentiatesThePendulumsRodTwice) {
  const auto result = test::pantelides(test::chained_pendula(1));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->offsets.c, (std::vector<Index>{0, 0, 2}));
  EXPECT_EQ(result->offsets.d, (std::vector<Index>{2, 2, 0}));
}

TEST(SystemJacobian, OfThePendulumHoldsItsTightEntries) {
  const Signature pendulum = test::chained_pendula(1);
  const Incidence pattern = system_jacobian_pattern(pendulum, offsets_of(pendulum));
  const std::vector<std::vector<Index>> expected = {{0, 2}, {1, 2}, {0, 1}};
  for (Index i = 0; i < 3; ++i) {
    const auto row = pattern.row(i);
    EXPECT_EQ(std::vector<Index>(row.begin(), row.end()), expected[to_size(i)]);
  }
}

TEST(SystemJacobian, HasATransversalWheneverTheSystemHasOne) {
  std::mt19937 random(23);
  for (int trial = 0; trial < 200; ++trial) {
    const Signature signature = test::random_signature(random, 12, 12, 0.3, 2);
    if (!highest_value_transversal(signature)) continue;
    const Incidence pattern = system_jacobian_pattern(signature, offsets_of(signature));
    EXPECT_TRUE(maximum_matching(pattern).is_perfect());
  }
}

TEST(Signature, KeepsTheHighestOrderOfAColumnAndRefusesWhatDoesNotExist) {
  Signature signature(2);
  signature.add_row(std::vector<SignatureEntry>{{1, 0}, {0, 1}, {1, 2}, {1, 1}});
  EXPECT_EQ(signature.order(0, 0), 1);
  EXPECT_EQ(signature.order(0, 1), 2);
  EXPECT_EQ(signature.incidence().n_entries(), 2);
  EXPECT_THROW(signature.add_row(std::vector<SignatureEntry>{{2, 0}}), Error);
  EXPECT_THROW(signature.add_row(std::vector<SignatureEntry>{{0, -1}}), Error);
  EXPECT_EQ(signature.n_rows(), 1);
}

TEST(LargeStructure, ChainsOfManyEquationsAreAnalysed) {
  constexpr Index n = 100000;
  const Offsets ode = offsets_of(test::differential_chain(n));
  EXPECT_EQ(structural_index(ode), 0);
  EXPECT_EQ(n_states(ode), n);
  const Offsets algebraic = offsets_of(test::shifted_chain(n, 0));
  EXPECT_EQ(structural_index(algebraic), 1);
  EXPECT_EQ(n_states(algebraic), 0);
  // 0 = f_i(x_i, x_{i+1}'), 0 = x_0: integrated from the end, n - 1 free values. Only x_0 is
  // algebraic.
  const Offsets shifted = offsets_of(test::shifted_chain(n, 1));
  EXPECT_EQ(n_states(shifted), n - 1);
  EXPECT_EQ(structural_index(shifted), 1);
  // 33,333 chained pendula: index 66,667.
  const Offsets pendula = offsets_of(test::chained_pendula(n / 3));
  EXPECT_EQ(structural_index(pendula), 2 * (n / 3) + 1);
}

}  // namespace
}  // namespace daedal::structure
