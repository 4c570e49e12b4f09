// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The way back from an iterate of the sequential regularisation of a boundary value problem to the
/// model's variables: states, By, and y where By determines it (Ascher, Lin (2.8)).

#include <memory>
#include <string>
#include <vector>

#include "bvp/forcing.hpp"
#include "bvp/forms/boundary_srm.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"
#include "kernel/program.hpp"
#include "model/views/hessenberg_view.hpp"

namespace daedal::solve_detail {

class SrmFormulation final : public formulation::Formulation {
 public:
  /// `names` of the variables of the model that the view was made from.
  SrmFormulation(std::shared_ptr<const BoundarySrm> srm, std::vector<double> parameters,
                 std::vector<std::string> names);

  void set_product(bvp::Forcing by) { by_ = std::move(by); }

  [[nodiscard]] const ImplicitSystem* implicit_system() const override { return &srm_->system(); }
  formulation::Start start(double t0, Run& run) const override;
  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override;
  [[nodiscard]] std::span<const std::string> extra_names() const override { return extra_names_; }
  void extra_values(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                    std::span<double> values) const override;
  [[nodiscard]] int n_levels() const override { return view_.order; }
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

 private:
  /// Values of the view's variables, y not a number.
  void spread(std::span<const double> x, std::span<const double> xp,
              formulation::ModelRun& own) const;
  void recover_multipliers(double t, formulation::ModelRun& own) const;

  std::shared_ptr<const BoundarySrm> srm_;
  const HessenbergView& view_;
  std::vector<double> parameters_;
  std::vector<std::string> names_, extra_names_;
  bvp::Forcing by_;
  kernel::Program outputs_, coefficients_, levels_;
};

}  // namespace daedal::solve_detail
