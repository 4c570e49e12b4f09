// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A function of time given at collocation points, and a system that it is added to:
///
///     F(t, x, x') + w(t) = 0   in some rows.
///
/// The sequential regularisation (Ascher, Lin (4.3)) solves such problems one after the other, w
/// being what the last one gave at the same points.

#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "bvp/points.hpp"
#include "core/types.hpp"

namespace daedal::bvp {

class Forcing {
 public:
  Forcing() = default;
  /// Constant in time.
  explicit Forcing(std::vector<double> constant) : n_(to_index(constant.size())) {
    values_ = std::move(constant);
  }
  /// Polynomials of degree k − 1 through `values`: per interval and point n numbers.
  Forcing(const Points& points, std::vector<double> mesh, std::vector<double> values);

  [[nodiscard]] Index size() const { return n_; }
  void at(double t, std::span<double> out) const;
  /// At one collocation point; the constant where it is one.
  [[nodiscard]] std::span<const double> at_point(Index interval, Index j) const;

 private:
  const Points* points_ = nullptr;
  std::vector<double> mesh_;
  std::vector<double> values_;
  Index n_ = 0;
};

class ForcedSystem final : public ImplicitSystem {
 public:
  /// Adds to `rows` of `system`, which must outlive this.
  ForcedSystem(const ImplicitSystem& system, std::vector<Index> rows)
      : system_(system), rows_(std::move(rows)), buffer_(rows_.size()) {}

  void set_forcing(const Forcing* forcing) { forcing_ = forcing; }

  [[nodiscard]] std::int64_t size() const override { return system_.size(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return system_.make_run(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return system_.kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return system_.nominals(); }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return system_.pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override {
    return system_.jacobian(t, x, xp, run, f_x, f_xp);
  }
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return system_.row_name(row);
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return system_.unknown_name(column);
  }

 private:
  const ImplicitSystem& system_;
  std::vector<Index> rows_;
  const Forcing* forcing_ = nullptr;
  mutable std::vector<double> buffer_;
};

}  // namespace daedal::bvp
