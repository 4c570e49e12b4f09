// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/linear_solver.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>
#include <utility>

#include "linalg/dense/lu.hpp"
#include "linalg/sparse/frontal.hpp"
#include "linalg/sparse/klu.hpp"
#include "linalg/sparse/listed_lu.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {

namespace {

/// Systems up to this size are dense whatever their pattern. tuned: bench/linalg
constexpr Index always_dense_size = 8;
/// Larger ones are dense when this share of the matrix is filled. tuned: bench/linalg
constexpr double dense_fill = 0.25;

/// Automatic: by the fill of a large matrix.
Storage choose(const SparsityPattern& pattern) {
  const double n = static_cast<double>(pattern.columns);
  const bool is_dense = pattern.columns <= always_dense_size ||
                        static_cast<double>(pattern.nonzeros()) >= dense_fill * n * n;
  if (is_dense) return Storage::dense;
  return pattern.columns <= largest_listed ? Storage::listed : Storage::automatic;
}

/// The list of operations behind LinearSolver.
template <class Scalar>
class ListedSolver final : public LinearSolver<Scalar> {
 public:
  explicit ListedSolver(const SparsityPattern& pattern) : lu_(pattern) {}
  FactorReport factor(std::span<const Scalar> values) override { return lu_.factor(values); }
  void solve(std::span<Scalar> rhs) const override { lu_.solve(rhs); }
  [[nodiscard]] double reciprocal_condition() const override { return lu_.reciprocal_condition(); }

 private:
  ListedLu<Scalar> lu_;
};

/// Fronts pay where so many operations fall to an entry of the factors. tuned: bench/linalg
constexpr double worthwhile_operations = 40.0;
/// Rows stay where they are if that leaves at most this share of the entries: columns that wait for
/// pivots will add some again.
constexpr double share_of_kept_rows = 0.75;

/// The better of two orders for fronts: rows moved so that the diagonal has entries everywhere, or
/// kept, which is better for symmetric patterns.
template <class Scalar>
BlockOrder frontal_order(const SparsityPattern& pattern, BlockOrder order) {
  if (order.row == order.column) return order;
  BlockOrder kept = KluSolver<Scalar>(pattern, false).order();
  return kept.n_entries <= share_of_kept_rows * order.n_entries ? kept : order;
}

/// Fronts as long as they keep to what they promised, KLU from then on.
template <class Scalar>
class FrontalOrKlu final : public LinearSolver<Scalar> {
 public:
  FrontalOrKlu(const SparsityPattern& pattern, const BlockOrder& order, std::string reason)
      : pattern_(pattern),
        reason_(std::move(reason)),
        frontal_(std::make_unique<FrontalSolver<Scalar>>(pattern, order)) {}

  FactorReport factor(std::span<const Scalar> values) override {
    if (frontal_) {
      const FactorReport report = frontal_->factor(values);
      if (!frontal_->is_overfull()) return report;
      frontal_.reset();
      reason_ = "because too many columns of fronts would wait for pivots";
      klu_ = std::make_unique<KluSolver<Scalar>>(pattern_);
    }
    return klu_->factor(values);
  }
  void solve(std::span<Scalar> rhs) const override {
    frontal_ ? frontal_->solve(rhs) : klu_->solve(rhs);
  }
  [[nodiscard]] double reciprocal_condition() const override {
    return frontal_ ? frontal_->reciprocal_condition() : klu_->reciprocal_condition();
  }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{}, {}", frontal_ ? "fronts" : "klu", reason_);
  }

 private:
  SparsityPattern pattern_;
  std::string reason_;
  std::unique_ptr<FrontalSolver<Scalar>> frontal_;
  std::unique_ptr<KluSolver<Scalar>> klu_;
};

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_large_solver(const SparsityPattern& pattern,
                                                        Storage storage) {
  auto klu = std::make_unique<KluSolver<Scalar>>(pattern);
  BlockOrder order = klu->order();
  const std::string reason =
      storage == Storage::automatic
          ? fmt::format(
                "because {:.3g} operations fall to an entry of the factors (fronts from {} "
                "on)",
                order.n_operations / order.n_entries, worthwhile_operations)
          : "because it was asked for";
  if (storage == Storage::sparse ||
      (storage == Storage::automatic &&
       order.n_operations < worthwhile_operations * order.n_entries)) {
    klu->describe("klu, " + reason);
    return klu;
  }
  klu.reset();
  return std::make_unique<FrontalOrKlu<Scalar>>(
      pattern, frontal_order<Scalar>(pattern, std::move(order)), reason);
}

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_solver(const SparsityPattern& pattern, Storage storage) {
  check_pattern(pattern);
  if (pattern.rows != pattern.columns) {
    throw Error(ErrorCode::internal, "A linear solver was asked for a matrix that is not square.");
  }
  if (pattern.columns == 0) storage = Storage::dense;
  if (storage == Storage::automatic) storage = choose(pattern);
  if (storage == Storage::dense) return std::make_unique<DenseSolver<Scalar>>(pattern);
  if (storage == Storage::listed) return std::make_unique<ListedSolver<Scalar>>(pattern);
  return make_large_solver<Scalar>(pattern, storage);
}

}  // namespace

Storage storage_of(SparseSolver choice) {
  if (choice == SparseSolver::automatic) return Storage::automatic;
  return choice == SparseSolver::klu ? Storage::sparse : Storage::frontal;
}

std::unique_ptr<RealSolver> make_real_solver(const SparsityPattern& pattern, Storage storage) {
  return make_solver<double>(pattern, storage);
}

std::unique_ptr<ComplexSolver> make_complex_solver(const SparsityPattern& pattern,
                                                   Storage storage) {
  return make_solver<std::complex<double>>(pattern, storage);
}

}  // namespace daedal::linalg
