// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/petsc/rows_of_rank.hpp"

#include <numeric>

namespace daedal::app {

namespace {

/// Rows that share columns belong together.
std::vector<PetscInt> partition(RowSystem& rows, int rank, int n_ranks) {
  const std::int64_t n = rows.size();
  const std::int64_t first = n * rank / n_ranks;
  const std::int64_t last = n * (rank + 1) / n_ranks;
  std::vector<PetscInt> start{0}, column;
  std::vector<std::int64_t> columns;
  for (std::int64_t row = first; row < last; ++row) {
    rows.columns_of(row, columns);
    for (const std::int64_t j : columns) column.push_back(to_petsc(j));
    start.push_back(to_petsc(static_cast<std::int64_t>(column.size())));
  }
  OwnedMat pattern, transposed, graph;
  const std::vector<PetscScalar> ones(column.size(), 1.0);
  must(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, to_petsc(last - first), to_petsc(last - first),
                                 to_petsc(n), to_petsc(n), start.data(), column.data(), ones.data(),
                                 pattern.out()));
  must(MatTranspose(pattern, MAT_INITIAL_MATRIX, transposed.out()));
  must(MatAXPY(transposed, 1.0, pattern, DIFFERENT_NONZERO_PATTERN));
  must(MatConvert(transposed, MATMPIADJ, MAT_INITIAL_MATRIX, graph.out()));
  MatPartitioning partitioning = nullptr;
  must(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
  OwnedIs parts, all;
  must(MatPartitioningSetAdjacency(partitioning, graph));
  must(MatPartitioningSetFromOptions(partitioning));
  must(MatPartitioningApply(partitioning, parts.out()));
  must(MatPartitioningDestroy(&partitioning));
  must(ISAllGather(parts, all.out()));
  const PetscInt* owner = nullptr;
  must(ISGetIndices(all, &owner));
  std::vector<PetscInt> result(owner, owner + n);
  must(ISRestoreIndices(all, &owner));
  return result;
}

}  // namespace

Distribution::Distribution(RowSystem& rows, int rank, int n_ranks) {
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<PetscInt> owner(n, 0);
  if (n_ranks > 1) owner = partition(rows, rank, n_ranks);
  std::vector<PetscInt> next(static_cast<std::size_t>(n_ranks) + 1, 0);
  for (const PetscInt one : owner) ++next[static_cast<std::size_t>(one) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  number_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    number_[i] = next[static_cast<std::size_t>(owner[i])]++;
    if (owner[i] == rank) own_.push_back(static_cast<std::int64_t>(i));
  }
}

RowsOfRank::RowsOfRank(RowSystem& rows, int rank, int n_ranks)
    : rows_(rows),
      distribution_(rows, rank, n_ranks),
      compiled_(rows.compile(distribution_.own())),
      n_own_(distribution_.own().size()) {
  for (const std::int64_t column : compiled_->columns())
    numbers_.push_back(distribution_.number(column));
  const auto n_local = static_cast<PetscInt>(numbers_.size());
  must(VecCreateMPI(PETSC_COMM_WORLD, to_petsc(static_cast<std::int64_t>(n_own_)),
                    to_petsc(rows.size()), x_.out()));
  must(VecDuplicate(x_, xp_.out()));
  must(VecCreateSeq(PETSC_COMM_SELF, n_local, local_x_.out()));
  must(VecCreateSeq(PETSC_COMM_SELF, n_local, local_xp_.out()));
  OwnedIs needed;
  must(ISCreateGeneral(PETSC_COMM_SELF, n_local, numbers_.data(), PETSC_COPY_VALUES, needed.out()));
  must(VecScatterCreate(x_, needed, local_x_, nullptr, ghosts_.out()));
  make_matrix();
  must(VecScatterCreateToZero(x_, to_first_.out(), gathered_.out()));
}

void RowsOfRank::residual(double t, Vec x, Vec xp, Vec values) {
  fetch(x, xp);
  const Values f(values);
  const Values local_x(local_x_), local_xp(local_xp_);
  (void)compiled_->residual(t, local_x.get(), local_xp.get(), f.get());
}

void RowsOfRank::set(Vec vector, const std::vector<double>& whole) const {
  const Values values(vector);
  for (std::size_t i = 0; i < n_own_; ++i) values[i] = whole[static_cast<std::size_t>(row(i))];
}

std::span<const double> RowsOfRank::gather(Vec vector, std::vector<double>& whole) {
  must(VecScatterBegin(to_first_, vector, gathered_, INSERT_VALUES, SCATTER_FORWARD));
  must(VecScatterEnd(to_first_, vector, gathered_, INSERT_VALUES, SCATTER_FORWARD));
  const Values values(gathered_);
  whole.resize(values.get().size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    whole[i] = values[static_cast<std::size_t>(distribution_.number(static_cast<int64_t>(i)))];
  }
  return whole;
}

void RowsOfRank::fetch(Vec x, Vec xp) {
  must(VecScatterBegin(ghosts_, x, local_x_, INSERT_VALUES, SCATTER_FORWARD));
  must(VecScatterEnd(ghosts_, x, local_x_, INSERT_VALUES, SCATTER_FORWARD));
  must(VecScatterBegin(ghosts_, xp, local_xp_, INSERT_VALUES, SCATTER_FORWARD));
  must(VecScatterEnd(ghosts_, xp, local_xp_, INSERT_VALUES, SCATTER_FORWARD));
}

void RowsOfRank::make_matrix() {
  must(VecGetOwnershipRange(x_, &first_, nullptr));
  std::vector<PetscInt> start;
  for (const std::int64_t entry : compiled_->row_start()) start.push_back(to_petsc(entry));
  for (const std::int64_t column : compiled_->column())
    columns_.push_back(numbers_[static_cast<std::size_t>(column)]);
  f_x_.resize(columns_.size());
  f_xp_.resize(columns_.size());
  const auto n = static_cast<PetscInt>(n_own_);
  must(MatCreate(PETSC_COMM_WORLD, matrix_.out()));
  must(MatSetSizes(matrix_, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  must(MatSetFromOptions(matrix_));
  must(MatSeqAIJSetPreallocationCSR(matrix_, start.data(), columns_.data(), nullptr));
  must(MatMPIAIJSetPreallocationCSR(matrix_, start.data(), columns_.data(), nullptr));
  must(MatSetOption(matrix_, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
}

}  // namespace daedal::app
