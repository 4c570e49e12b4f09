// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The rows of one rank: which they are, and their residuals and Jacobian as PETSc takes them.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "petsc/engine.hpp"
#include "plugins/petsc/objects.hpp"

namespace daedal::app {

/// Which rank has which rows. The numbers of PETSc are those of the first rank's rows, then those
/// of the second, ...
class Distribution {
 public:
  Distribution(RowSystem& rows, int rank, int n_ranks);

  [[nodiscard]] const std::vector<std::int64_t>& own() const { return own_; }
  [[nodiscard]] PetscInt number(std::int64_t row) const {
    return number_[static_cast<std::size_t>(row)];
  }

 private:
  std::vector<std::int64_t> own_;
  std::vector<PetscInt> number_;
};

/// The rows of this rank as PETSc sees them.
class RowsOfRank {
 public:
  RowsOfRank(RowSystem& rows, int rank, int n_ranks);

  [[nodiscard]] Vec x() const { return x_; }
  [[nodiscard]] Vec xp() const { return xp_; }
  [[nodiscard]] Mat matrix() const { return matrix_; }
  [[nodiscard]] std::size_t n_own() const { return n_own_; }
  [[nodiscard]] std::int64_t row(std::size_t own) const { return distribution_.own()[own]; }
  [[nodiscard]] const UnknownKind& kind(std::size_t own) const {
    return rows_.kinds()[static_cast<std::size_t>(row(own))];
  }
  [[nodiscard]] double nominal(std::size_t own) const {
    return rows_.nominals()[static_cast<std::size_t>(row(own))];
  }
  [[nodiscard]] const std::string& failure() const { return compiled_->failure(); }

  /// F(t, x, x'); NaN where it is not finite, which PETSc takes for a step that is too long.
  void residual(double t, Vec x, Vec xp, Vec values);
  /// `combine` makes the entry of one place from F_x, F_x' and its column.
  template <class Combine>
  void jacobian(double t, Vec x, Vec xp, Combine combine) {
    fetch(x, xp);
    {
      const Values local_x(local_x_), local_xp(local_xp_);
      (void)compiled_->jacobian(t, local_x.get(), local_xp.get(), f_x_, f_xp_);
    }
    const auto start = compiled_->row_start();
    std::vector<PetscScalar> values;
    for (std::size_t i = 0; i < n_own_; ++i) {
      const auto begin = static_cast<std::size_t>(start[i]);
      const auto n = static_cast<std::size_t>(start[i + 1]) - begin;
      values.resize(n);
      for (std::size_t k = 0; k < n; ++k) {
        const auto column =
            compiled_->columns()[static_cast<std::size_t>(compiled_->column()[begin + k])];
        values[k] = combine(f_x_[begin + k], f_xp_[begin + k], column);
      }
      const PetscInt number = first_ + static_cast<PetscInt>(i);
      must(MatSetValues(matrix_, 1, &number, static_cast<PetscInt>(n), columns_.data() + begin,
                        values.data(), INSERT_VALUES));
    }
    must(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    must(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  }

  /// From values of the whole, which every rank has.
  void set(Vec vector, const std::vector<double>& whole) const;
  /// The whole in the first rank, in the order of the rows; empty elsewhere.
  std::span<const double> gather(Vec vector, std::vector<double>& whole);

 private:
  void fetch(Vec x, Vec xp);
  void make_matrix();

  RowSystem& rows_;
  Distribution distribution_;
  std::unique_ptr<RowPart> compiled_;
  std::size_t n_own_;
  PetscInt first_ = 0;
  std::vector<PetscInt> numbers_;  ///< of the columns, as PETSc counts them
  std::vector<PetscInt> columns_;  ///< of the entries
  std::vector<double> f_x_, f_xp_;
  OwnedVec x_, xp_, local_x_, local_xp_, gathered_;
  OwnedScatter ghosts_, to_first_;
  OwnedMat matrix_;
};

}  // namespace daedal::app
