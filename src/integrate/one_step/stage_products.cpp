// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/stage_products.hpp"

#include <cstdint>
#include <cstring>

namespace daedal::integration {

namespace {

constexpr Index block = 4;
/// A block of rows: one register with AVX2, two without, and the same bits either way.
typedef double Rows __attribute__((vector_size(block * sizeof(double))));
typedef std::int64_t Bits __attribute__((vector_size(block * sizeof(double))));

/// The rows of one block, of columns that are n numbers long; those before `first` count as 0.
template <class Entries, int stages, Sum sum>
[[gnu::always_inline]] inline void multiply_block(const double* weights, double scale,
                                                  const double* from, double* to, Index n,
                                                  Index first) {
  Entries in[stages];
#pragma GCC unroll 8
  for (int j = 0; j < stages; ++j) {
    std::memcpy(&in[j], from + j * n, sizeof(Entries));
    if constexpr (sizeof(Entries) == sizeof(Rows)) {
      if (first > 0) in[j] = (Rows)((Bits)in[j] & (Bits{0, 1, 2, 3} >= first));
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < stages; ++k) {
    Entries entry = weights[k * stages] * in[0];
#pragma GCC unroll 8
    for (int j = 1; j < stages; ++j) entry += weights[k * stages + j] * in[j];
    entry *= scale;
    double* const place = to + k * n;
    if constexpr (sum == Sum::added) {
      Entries before;
      std::memcpy(&before, place, sizeof(Entries));
      entry += before;
    }
    std::memcpy(place, &entry, sizeof(Entries));
  }
}

template <int stages, Sum sum>
[[gnu::always_inline]] inline void multiply_rows(const double* weights, double scale,
                                                 const double* from, double* to, Index n) {
  Index i = 0;
  for (; i + block <= n; i += block) {
    multiply_block<Rows, stages, sum>(weights, scale, from + i, to + i, n, 0);
  }
  if (i == n) return;
  if (n < block) {
    for (; i < n; ++i) multiply_block<double, stages, sum>(weights, scale, from + i, to + i, n, 0);
    return;
  }
  // The last block takes in rows that are done: they get the same numbers again, or nothing more.
  const Index last = n - block;
  multiply_block<Rows, stages, sum>(weights, scale, from + last, to + last, n,
                                    sum == Sum::added ? i - last : 0);
}

using Multiply = void (*)(const double* weights, double scale, const double* from, double* to,
                          Index n);

template <int stages, Sum sum>
void multiply(const double* weights, double scale, const double* from, double* to, Index n) {
  multiply_rows<stages, sum>(weights, scale, from, to, n);
}

#if defined(__x86_64__)
template <int stages, Sum sum>
[[gnu::target("avx2")]] void multiply_wide(const double* weights, double scale, const double* from,
                                           double* to, Index n) {
  multiply_rows<stages, sum>(weights, scale, from, to, n);
}
template <int stages, Sum sum>
Multiply best() {
  return __builtin_cpu_supports("avx2") > 0 ? multiply_wide<stages, sum> : multiply<stages, sum>;
}
#else
template <int stages, Sum sum>
Multiply best() {
  return multiply<stages, sum>;
}
#endif

/// Unrolled for the numbers of stages that rules have.
template <Sum sum>
Multiply for_stages(Index stages) {
  static const Multiply by_stages[] = {best<1, sum>(), best<2, sum>(), best<3, sum>(),
                                       best<5, sum>(), best<7, sum>()};
  if (stages > 3 && stages != 5 && stages != 7) return nullptr;
  return by_stages[stages <= 3 ? stages - 1 : (stages + 1) / 2];
}

/// Columns and their weights in a sum, as in sum_stages().
struct ColumnSum {
  const double* columns;
  Index n;
  std::span<const StageTerm> terms;
  double scale;
  const double* start;
  double* out;
};

/// Rows as they stand in memory, at any address.
struct [[gnu::packed, gnu::may_alias]] OneRow {
  double rows;
};
struct [[gnu::packed, gnu::may_alias]] BlockOfRows {
  Rows rows;
};

/// `blocks` of rows from row i on. They are read in place: copies would go through the stack.
template <class Block, int blocks, Terms order>
[[gnu::always_inline]] inline void sum_at(const ColumnSum& sum, Index i) {
  const auto at = [](const double* from) { return reinterpret_cast<const Block*>(from); };
  decltype(Block::rows) result[blocks] = {};
  if (sum.start != nullptr) {
#pragma GCC unroll 2
    for (int b = 0; b < blocks; ++b) result[b] = at(sum.start + i)[b].rows;
  }
  const double* const from = sum.columns + i;
  const StageTerm* term = sum.terms.data();
  const StageTerm* const end = term + sum.terms.size();
  if constexpr (order == Terms::in_pairs) {
    for (; end - term >= 2; term += 2) {
      const double w = sum.scale * term[0].weight;
      const double v = sum.scale * term[1].weight;
      const Block* const one = at(from + term[0].column * sum.n);
      const Block* const other = at(from + term[1].column * sum.n);
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) result[b] += w * one[b].rows + v * other[b].rows;
    }
  }
  for (; term != end; ++term) {
    const double w = sum.scale * term->weight;
    const Block* const one = at(from + term->column * sum.n);
#pragma GCC unroll 2
    for (int b = 0; b < blocks; ++b) result[b] += w * one[b].rows;
  }
  auto* const out = reinterpret_cast<Block*>(sum.out + i);
#pragma GCC unroll 2
  for (int b = 0; b < blocks; ++b) out[b].rows = result[b];
}

template <Terms order>
[[gnu::always_inline]] inline void sum_columns(const ColumnSum& sum) {
  Index i = 0;
  for (; i + 2 * block <= sum.n; i += 2 * block) sum_at<BlockOfRows, 2, order>(sum, i);
  for (; i + block <= sum.n; i += block) sum_at<BlockOfRows, 1, order>(sum, i);
  for (; i < sum.n; ++i) sum_at<OneRow, 1, order>(sum, i);
}

template <Terms order>
void sum_narrow(const ColumnSum& sum) {
  sum_columns<order>(sum);
}

#if defined(__x86_64__)
template <Terms order>
[[gnu::target("avx2")]] void sum_wide(const ColumnSum& sum) {
  sum_columns<order>(sum);
}
const bool has_wide = __builtin_cpu_supports("avx2") > 0;
#endif

template <Terms order>
void sum_best(const ColumnSum& sum) {
#if defined(__x86_64__)
  if (has_wide) return sum_wide<order>(sum);
#endif
  sum_narrow<order>(sum);
}

}  // namespace

void sum_stages(const double* columns, Index n, std::span<const StageTerm> terms, double scale,
                Terms order, const double* start, double* out) {
  const ColumnSum sum{columns, n, terms, scale, start, out};
  order == Terms::in_pairs ? sum_best<Terms::in_pairs>(sum) : sum_best<Terms::one_by_one>(sum);
}

void multiply_stages(const double* in, Index n, const Matrix& weights, double scale, Sum sum,
                     double* out) {
  const Index stages = weights.rows();
  const Multiply multiply =
      sum == Sum::added ? for_stages<Sum::added>(stages) : for_stages<Sum::fresh>(stages);
  if (multiply != nullptr) return multiply(weights.data(), scale, in, out, n);
  for (Index k = 0; k < stages; ++k) {
    for (Index i = 0; i < n; ++i, ++out) {
      double entry = 0.0;
      for (Index j = 0; j < stages; ++j) entry += weights(j, k) * in[j * n + i];
      *out = scale * entry + (sum == Sum::added ? *out : 0.0);
    }
  }
}

}  // namespace daedal::integration
