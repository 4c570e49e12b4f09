// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The size of the residual r of the equations as they are written, F(t, x, x') = r, in two
/// measures:
///
///     in tolerances   |r_i| / Σ_j (|F_x| w_j + |F_x'| w_j/h),   w = rtol·|x| + atol, h the step
///     relative        |r_i| / Σ_j (|F_x x_j| + |F_x' x'_j| + |r_i|), the size of its terms
///
/// The first should be of the order 1; drift and order reduction make it larger. The second is
/// small for any approximation, and of the order 1 for something that is no solution at all.
///
/// At the end of a step an algebraic equation that is off by more than the tolerances of all its
/// unknowns, of the greatest values that they have in the run, proves that one of these is off by
/// as much. It is the drift of methods that differentiate, regularise or damp the constraints.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "formulation/frame/written_equations.hpp"
#include "integrate/noise.hpp"

namespace daedal::solve_detail {

class ResidualMeasure {
 public:
  struct Tolerances {
    double rtol = 1e-6;
    double atol = 1e-8;
    bool follows_scales = false;  ///< of small variables (integrate/weights.hpp)
  };
  /// An instant of a solution, inside a step of length h.
  struct Point {
    double t;
    double h;
    std::span<const double> x, xp;
  };
  struct Size {
    double in_tolerances = 0.0;
    double relative = 0.0;
    double t = 0.0;
    Index row = -1;  ///< with the greatest residual in tolerances
  };
  /// Residuals of this many tolerances inside steps are reported: drift and the lower order of the
  /// dense output explain factors of hundreds.
  static constexpr double many_tolerances = 1e4;
  /// At the ends of steps only the remainder of an iteration explains a residual.
  static constexpr double many_tolerances_at_ends = 100.0;

  ResidualMeasure(std::shared_ptr<const formulation::WrittenEquations> system,
                  const Tolerances& tolerances);

  /// Takes over the parameters, modes and discrete variables of a run.
  void take_over(Run& run);
  [[nodiscard]] const formulation::ModelRun& run() const { return *own_run_; }

  /// The greatest values seen, which tolerances of small variables depend on.
  void note_peaks(std::span<const double> x);
  [[nodiscard]] std::span<const double> peaks() const { return peaks_; }

  /// The size of the residuals inside a step; 0 where none is worth a closer look.
  [[nodiscard]] Size inside(const Point& point);
  /// The size of the residuals of the algebraic equations at the end of a step.
  [[nodiscard]] Size at_end(const Point& point);
  /// The worst of them that was above many tolerances, in those of the greatest values seen;
  /// without a row if none was.
  [[nodiscard]] Size drift() const;

  /// Computes F_x and F_x' at a point, with the pattern of the system.
  [[nodiscard]] bool differentiate(const Point& point);
  [[nodiscard]] std::span<const double> f_x() const { return f_x_; }
  [[nodiscard]] std::span<const double> f_xp() const { return f_xp_; }

 private:
  /// An equation, kept until the greatest values of its unknowns are known.
  struct Drift {
    double t = 0.0;
    Index row = -1;
    double residual = 0.0;
    double rounding = 0.0;  ///< the part of it that rounding errors explain
    std::vector<std::pair<std::size_t, double>> slopes{};  ///< unknowns and |∂r/∂x|
  };
  enum class Place { inside, end };
  /// So many tolerances are reported there.
  static constexpr double many(Place place) {
    return place == Place::end ? many_tolerances_at_ends : many_tolerances;
  }
  /// At the end of a step only algebraic equations are measured.
  [[nodiscard]] bool counts(std::size_t row, Place place) const;
  /// At the end of a step that of the greatest value seen.
  [[nodiscard]] double tolerance_at(std::size_t unknown, const Point& point, Place place) const;
  [[nodiscard]] double in_tolerances(const Drift& drift) const;
  void note_drift(const Size& size);
  [[nodiscard]] double tolerance(std::size_t unknown, double magnitude) const;
  [[nodiscard]] bool evaluate(const Point& point);
  [[nodiscard]] bool is_clearly_within(const Point& point, Place place);
  [[nodiscard]] Size measure(const Point& point, Place place);
  void allow_noise(const Point& point);

  std::shared_ptr<const formulation::WrittenEquations> system_;
  Tolerances tolerances_;
  std::unique_ptr<formulation::ModelRun> own_run_;
  double least_ = 0.0;  ///< a value that is more than rounding errors
  std::vector<double> peaks_, f_x_, f_xp_, residual_, allowed_, terms_;
  std::vector<double> moves_;  ///< by unknown, in tolerances
  std::vector<double> moved_, moved_rates_, moved_residual_;
  integration::Noise noise_;
  Drift drift_;
};

}  // namespace daedal::solve_detail
