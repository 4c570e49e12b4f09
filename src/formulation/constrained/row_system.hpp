// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// An implicit system F(t, x, x') = 0 whose rows are given as expressions.

#include <string>
#include <vector>

#include "formulation/frame/model_context.hpp"
#include "kernel/jacobian_program.hpp"

namespace daedal::formulation {

struct SystemRows {
  std::vector<NodeId> rows{};  ///< the square block, then the overdetermined one
  std::vector<NodeId> x{};     ///< leaves of the unknowns
  std::vector<NodeId> xp{};    ///< leaves of their derivatives, no_node where there is none
  std::vector<std::string> names{};
  std::vector<std::string> row_names{};
  std::vector<UnknownKind> kinds{};
  std::vector<double> nominals{};

  void add_unknown(std::string name, const UnknownKind& kind, double nominal);
};

/// Registers of one run.
struct RowWork {
  Evaluator residual;
  kernel::JacobianWorkspace jacobian;
};

class RowSystem : public ContextSystem<ImplicitSystem> {
 public:
  [[nodiscard]] std::int64_t size() const override { return to_index(names_.size()); }
  [[nodiscard]] std::int64_t n_constraints() const override {
    return to_index(row_names_.size() - names_.size());
  }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return jacobian_.pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return row_names_[to_size(row)];
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return names_[to_size(column)];
  }

 protected:
  /// `pool` holds the rows, a child of the pool of `model`.
  void compile(SystemRows rows, Pool& pool, const Model& model);
  [[nodiscard]] RowWork make_work() const;
  [[nodiscard]] virtual RowWork& work(Run& run) const = 0;

 private:
  std::vector<std::string> names_;
  std::vector<std::string> row_names_;
  std::vector<UnknownKind> kinds_;
  std::vector<double> nominals_;
  kernel::Program residual_;
  kernel::JacobianProgram jacobian_;
};

}  // namespace daedal::formulation
