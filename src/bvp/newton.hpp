// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Damped Newton iteration for the collocation equations (quasilinearisation): affine invariant, by
/// the natural monotonicity test and the damping of Deuflhard (Newton Methods for Nonlinear
/// Problems, algorithm NLEQ-ERR, 3.3): a step u + λΔ is taken when the correction that the old
/// Jacobian gives at the new point is smaller than Δ. This test, and the two norms that decide on
/// convergence, need more than the sizes that linalg::NewtonWatch judges.

#include <string>

#include "bvp/discretization.hpp"
#include "bvp/trajectory.hpp"

namespace daedal::bvp {

struct NewtonOptions {
  double rtol = 1e-6;
  double atol = 1e-8;  ///< times the nominal value of each unknown
  std::span<const double> nominals{};
  std::vector<bool> is_free_of_tests{};  ///< per unknown; empty: none
  int max_iterations = 50;
  double smallest_damping = 1e-5;
};

struct NewtonResult {
  Status status = Status::success;
  std::string message;
  std::int64_t iterations = 0;
};

class Newton {
 public:
  Newton(Discretization& equations, const NewtonOptions& options)
      : equations_(equations), options_(options) {}

  /// Iterates from u.values on the mesh of the equations. u keeps the last iterate in any case.
  NewtonResult solve(Trajectory& u);

 private:
  struct Norm {
    double rms = 0.0;       ///< in units of the tolerance
    double largest = 0.0;   ///< in units of the tolerance
    double relative = 0.0;  ///< the largest against the size of its unknown
  };
  [[nodiscard]] Norm norm(const Unknowns& delta) const;
  [[nodiscard]] double distance(const Unknowns& a, double factor, const Unknowns& b) const;
  void measure(const Unknowns& u);
  [[nodiscard]] bool is_converged(const Norm& correction) const;
  NewtonResult damped(Trajectory& u);
  bool full_steps(Trajectory& u, NewtonResult& result);
  enum class Outcome { stepped, converged, failed };
  Outcome iterate(Trajectory& u, NewtonResult& result);
  Outcome damped_step(Trajectory& u, const Norm& full, NewtonResult& result);
  Outcome simplified_steps(Trajectory& u, Norm previous);

  Discretization& equations_;
  NewtonOptions options_;
  std::vector<double> size_;    ///< of each unknown over the mesh, by place
  std::vector<double> weight_;  ///< 1 / tolerance of each unknown, by place
  Unknowns delta_, bar_, trial_;
  double damping_ = 1.0;
  double last_full_ = 0.0;  ///< |Δ| of the step before
  bool has_history_ = false;
  bool is_deficient_ = false;  ///< the last Jacobian has not full rank
};

}  // namespace daedal::bvp
