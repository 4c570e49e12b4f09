// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/stage_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedal::integration {
namespace {

/// Lengths that fill vectors of two and four numbers, and that do not.
TEST(StageSums, AreThoseOfLongNumbers) {
  constexpr Index n_columns = 5;
  for (Index n = 1; n <= 9; ++n) {
    std::vector<double> columns;
    for (Index i = 0; i < n * n_columns; ++i) columns.push_back(std::sin(1.0 + 0.7 * double(i)));
    std::vector<StageTerm> terms;
    for (std::size_t n_terms = 0; n_terms <= 32; ++n_terms) {
      for (const Terms order : {Terms::one_by_one, Terms::in_pairs}) {
        for (const bool has_start : {false, true}) {
          const std::vector<double> start(to_size(n), 0.3);
          std::vector<double> out(to_size(n) + 1, -7.0);
          sum_stages(columns.data(), n, terms, 0.5, order, has_start ? start.data() : nullptr,
                     out.data());
          for (Index i = 0; i < n; ++i) {
            long double expected = has_start ? 0.3 : 0.0;
            for (const StageTerm& term : terms) {
              expected += 0.5L * term.weight * columns[to_size(term.column * n + i)];
            }
            // Each of up to 32 terms, of size 1 at most, is rounded twice.
            EXPECT_NEAR(out[to_size(i)], double(expected), 64.0 * 32.0 * 1.2e-16);
          }
          EXPECT_EQ(out.back(), -7.0);
        }
      }
      terms.push_back({to_index(n_terms) % n_columns, std::cos(double(n_terms))});
    }
  }
}

}  // namespace
}  // namespace daedal::integration
