// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/srm_formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formulation/frame/model_run.hpp"
#include "kernel/program.hpp"
#include "linalg/dense/rank.hpp"
#include "model/views/constrained_view.hpp"

namespace daedal::solve_detail {

namespace {

class SrmOutputs {
 public:
  SrmOutputs(std::shared_ptr<const BoundarySrm> srm, std::vector<double> parameters,
             std::size_t n_names, bvp::Forcing by);

  [[nodiscard]] const bvp::Forcing& by() const { return by_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp,
                std::span<double> values, std::span<double> derivatives) const;
  [[nodiscard]] double level_residual(double t, std::span<const double> x,
                                      std::span<const double> xp, int level) const;

 private:
  /// Values of the view's variables, y not a number.
  void spread(std::span<const double> x, std::span<const double> xp,
              formulation::ModelRun& own) const;
  void recover_multipliers(double t, formulation::ModelRun& own) const;

  std::shared_ptr<const BoundarySrm> srm_;
  const ConstrainedView& view_;
  std::vector<double> parameters_;
  bvp::Forcing by_;
  kernel::Program outputs_, coefficients_, levels_;
};

SrmOutputs::SrmOutputs(std::shared_ptr<const BoundarySrm> srm, std::vector<double> parameters,
                       std::size_t n_names, bvp::Forcing by)
    : srm_(std::move(srm)),
      view_(srm_->view()),
      parameters_(std::move(parameters)),
      by_(std::move(by)) {
  Pool pool(view_.pool);
  const auto inputs = formulation::model_inputs(view_.model, pool);
  outputs_ = kernel::Program::compile(pool, std::span(view_.outputs).first(n_names), inputs);
  std::vector<NodeId> entries;
  for (const JacobianEntry& entry : view_.coefficient) entries.push_back(entry.value);
  coefficients_ = kernel::Program::compile(pool, entries, inputs);
  std::vector<NodeId> levels;
  for (const auto& level : view_.levels) levels.insert(levels.end(), level.begin(), level.end());
  levels_ = kernel::Program::compile(pool, levels, inputs);
}

void SrmOutputs::spread(std::span<const double> x, std::span<const double> xp,
                        formulation::ModelRun& own) const {
  std::ranges::fill(own.values, std::numeric_limits<double>::quiet_NaN());
  std::size_t number = 0;
  for (const auto& chain : view_.states) {
    for (const std::int32_t variable : chain) {
      own.values[to_size(variable)] = x[number];
      own.derivatives[to_size(variable)] = xp[number];
      ++number;
    }
  }
}

/// The least-squares solution of By = w; not a number where B has not full rank.
void SrmOutputs::recover_multipliers(double t, formulation::ModelRun& own) const {
  std::vector<double> w(view_.states.back().size());
  by_.at(t, w);
  std::vector<double> entries(view_.coefficient.size());
  auto workspace = coefficients_.make_workspace();
  coefficients_.evaluate(own.blocks(t, own.values, own.derivatives), entries, workspace);
  Matrix b = Matrix::Zero(to_index(w.size()), to_index(view_.algebraic.size()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    b(view_.coefficient[i].row, view_.coefficient[i].column) = entries[i];
  }
  // A B that is all but zero determines y no better than one that is zero.
  const double scale = b.size() > 0 ? b.cwiseAbs().maxCoeff() : 0.0;
  if (!(scale > 1e-10) || linalg::decide_rank(b).rank < b.cols()) return;
  const Vector y = linalg::min_norm_least_squares(b, as_vector(w));
  for (std::size_t j = 0; j < view_.algebraic.size(); ++j) {
    own.values[to_size(view_.algebraic[j])] = y[to_index(j)];
  }
}

void SrmOutputs::to_model(double t, std::span<const double> x, std::span<const double> xp,
                          std::span<double> values, std::span<double> derivatives) const {
  formulation::ModelRun own(view_.model, parameters_);
  spread(x, xp, own);
  recover_multipliers(t, own);
  auto workspace = outputs_.make_workspace();
  outputs_.evaluate(own.blocks(t, own.values, own.derivatives), values, workspace);
  std::ranges::fill(derivatives, std::numeric_limits<double>::quiet_NaN());
}

double SrmOutputs::level_residual(double t, std::span<const double> x, std::span<const double> xp,
                                  int level) const {
  formulation::ModelRun own(view_.model, parameters_);
  spread(x, xp, own);
  std::vector<double> all(to_size(levels_.n_outputs()));
  auto workspace = levels_.make_workspace();
  levels_.evaluate(own.blocks(t, own.values, own.derivatives), all, workspace);
  const std::size_t width = view_.levels.front().size();
  double greatest = 0.0;
  for (std::size_t i = 0; i < width; ++i) {
    const double value = std::abs(all[to_size(level) * width + i]);
    if (!(value <= greatest)) greatest = value;
  }
  return greatest;
}

}  // namespace

formulation::Formulation srm_formulation(std::shared_ptr<const BoundarySrm> srm,
                                         std::vector<double> parameters,
                                         std::vector<std::string> names, bvp::Forcing by) {
  formulation::Formulation result;
  // The system is a part of `srm`.
  result.implicit_system = std::shared_ptr<const ImplicitSystem>(srm, &srm->system());
  const ConstrainedView& view = srm->view();
  for (const std::int32_t variable : view.states.back()) {
    result.outputs.extra_names.push_back(
        fmt::format("By({})", view.model.variables()[to_size(variable)].name));
  }
  result.levels.n = view.order();
  const auto outputs = std::make_shared<const SrmOutputs>(std::move(srm), std::move(parameters),
                                                          names.size(), std::move(by));
  result.outputs.names = std::move(names);
  result.outputs.to_model = [outputs](double t, std::span<const double> x,
                                      std::span<const double> xp, Run&, std::span<double> values,
                                      std::span<double> derivatives) {
    outputs->to_model(t, x, xp, values, derivatives);
  };
  result.outputs.extra_values = [outputs](double t, std::span<const double>,
                                          std::span<const double>, Run&, std::span<double> values) {
    outputs->by().at(t, values);
  };
  result.levels.residual = [outputs](double t, std::span<const double> x,
                                     std::span<const double> xp, int level,
                                     Run&) { return outputs->level_residual(t, x, xp, level); };
  return result;
}

}  // namespace daedal::solve_detail
