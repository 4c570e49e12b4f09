// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// An implicit system F(t, x, x') = 0 whose rows are given as expressions.

#include <string>
#include <vector>

#include "formulation/frame/model_system.hpp"
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

/// The rows as programs, with their registers in ModelRun::equations.
class CompiledRows {
 public:
  /// `pool` holds the rows, a child of the pool of `model`.
  CompiledRows(SystemRows rows, Pool& pool, const Model& model);

  [[nodiscard]] const SystemRows& rows() const { return rows_; }
  [[nodiscard]] const SparsityPattern& pattern() const { return jacobian_.pattern(); }
  void prepare(ModelRun& run) const;
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp,
                      ModelRun& run, std::span<double> values) const;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp,
                      ModelRun& run, std::span<double> f_x, std::span<double> f_xp) const;

 private:
  SystemRows rows_;
  kernel::Program residual_;
  kernel::JacobianProgram jacobian_;
};

template <class OwnRun>
class RowSystem : public ModelSystem<ImplicitSystem, OwnRun> {
 public:
  [[nodiscard]] std::int64_t size() const final { return to_index(rows_.rows().names.size()); }
  [[nodiscard]] std::int64_t n_constraints() const final {
    return to_index(rows_.rows().row_names.size() - rows_.rows().names.size());
  }
  [[nodiscard]] std::span<const UnknownKind> kinds() const final { return rows_.rows().kinds; }
  [[nodiscard]] std::span<const double> nominals() const final { return rows_.rows().nominals; }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const final {
    return rows_.residual(t, x, xp, run_of<OwnRun>(run), values);
  }
  [[nodiscard]] const SparsityPattern& pattern() const final { return rows_.pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const final {
    return rows_.jacobian(t, x, xp, run_of<OwnRun>(run), f_x, f_xp);
  }
  [[nodiscard]] std::string row_name(std::int64_t row) const final {
    return rows_.rows().row_names[to_size(row)];
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const final {
    return rows_.rows().names[to_size(column)];
  }

 protected:
  explicit RowSystem(CompiledRows rows) : rows_(std::move(rows)) {}
  void prepare(OwnRun& run) const override { rows_.prepare(run); }

 private:
  CompiledRows rows_;
};

}  // namespace daedal::formulation
