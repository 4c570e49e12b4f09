// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Local coordinates of a constraint manifold (Poell, Hafner 7):
///
///     x = x̂ + N s(x̂),   C(x̂ + N s, t) = 0,
///
/// where the columns of N (n×m) are directions that leave the manifold. The integrator steps all
/// coordinates x̂; before every stage the part along N is solved anew, so that only the local
/// coordinates (what is transversal to N) are integrated. Two choices of N:
///
///   partition  N = unit vectors of m dependent coordinates (Wehage, Haug; Fuehrer, Leimkuhler 2.2)
///   tangent    N = C_x(x₀)ᵀ at a base point x₀ of the current chart
///
/// Lengths and angles are those in nominal values of the coordinates, where these make the
/// constraints independent, so that units of variables and equations change nothing.
///
/// A chart is good while C_x N is regular. It is changed early, when another one would be clearly
/// better; that changes equations, not unknowns, so multistep histories stay.

#include <daedal/system.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "linalg/dense/lu.hpp"

namespace daedal::formulation {

enum class Chart { partition, tangent };

struct ChartSettings {
  Chart chart = Chart::partition;
  /// A chart is left when its quality falls below this share of the best one's. Late switching
  /// spoils accuracy: on the pendulum (Poell, Hafner's setting) the position error is 1.1e-6 at 1,
  /// 2.2e-5 at 0.7 and 0.18 at 0.1; a little below 1 keeps charts of equal quality from flickering.
  double switch_ratio = 0.95;
  bool is_fixed = false;  ///< keep the first chart, to its singular end
};

/// The constraints of a manifold that is charted. They come in levels that share one Jacobian:
/// level ℓ is solved for x[ℓn .. (ℓ+1)n).
class ChartedConstraints {
 public:
  virtual ~ChartedConstraints() = default;
  [[nodiscard]] virtual int n_levels() const = 0;
  /// m × n, by columns.
  [[nodiscard]] virtual const SparsityPattern& pattern() const = 0;
  virtual Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                              std::span<double> values) const = 0;
  virtual Evaluation constraint_jacobian(double t, std::span<const double> x, Run& run,
                                         std::span<double> values) const = 0;
  /// Of x.
  [[nodiscard]] virtual std::span<const double> coordinate_nominals() const = 0;
  [[nodiscard]] virtual std::string constraint_name(Index constraint) const = 0;
  [[nodiscard]] virtual std::string coordinate_name(Index coordinate) const = 0;
};

/// The chart of a run.
struct ChartWork {
  Vector units;                                 ///< of the coordinates: N = diag(units) `normals`
  Matrix normals;                               ///< one for each constraint
  std::vector<Index> dependent;                 ///< of a partition
  std::vector<linalg::DenseLu<double>> solver;  ///< one, of C_x N with its rows scaled
  std::vector<double> row_scales;               ///< of that
  std::vector<double> jacobian;                 ///< C_x on its pattern
  std::vector<double> values;                   ///< m
  Matrix dense;                                 ///< C_x diag(units)
  Vector usual;                                 ///< the greatest lengths of the rows of C_x so far
  linalg::PivotSearch search;
};

class LocalCharts {
 public:
  LocalCharts(const ChartedConstraints& constraints, const ChartSettings& settings)
      : constraints_(constraints), settings_(settings) {}

  [[nodiscard]] ChartWork make_work() const;
  /// Chooses the best chart at a consistent x.
  Evaluation choose(double t, std::span<const double> x, Run& run, ChartWork& work) const;
  /// Solves all levels for the part of x along N.
  Evaluation complete(double t, std::span<double> x, Run& run, ChartWork& work) const;
  /// After an accepted step: leaves the chart when it is time. Allocates nothing while it stays.
  Change watch(double t, std::span<const double> x, Run& run, ChartWork& work) const;

 private:
  /// C_x at x, sparse and dense.
  Evaluation read_jacobian(double t, std::span<const double> x, Run& run, ChartWork& work) const;
  /// The coordinates that the rows determine best, each row measured by its length.
  [[nodiscard]] static const linalg::PivotColumns& choose_columns(ChartWork& work);
  /// Factors C_x N for the Jacobian that was read.
  Evaluation factor(double t, Run& run, ChartWork& work) const;
  Evaluation solve_level(int level, double t, std::span<double> x, Run& run, ChartWork& work) const;
  /// The constraint that depends on others here, nearly: rows are measured by their usual lengths.
  /// −1 when there is none.
  [[nodiscard]] Index find_dependent(ChartWork& work) const;
  /// Below 1 where another chart would be better.
  [[nodiscard]] double quality(ChartWork& work) const;
  [[nodiscard]] std::string chart_name(const ChartWork& work) const;

  const ChartedConstraints& constraints_;
  ChartSettings settings_;
};

}  // namespace daedal::formulation
