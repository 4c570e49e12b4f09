// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Reference problems: constrained mechanical systems of index 3, and general DAEs of higher index,
/// with data, consistent initial values and end values from sources independent of Daedal. The same
/// problems stand beside this file as model text, NAME.mo, with the same names of positions and
/// velocities.

#include <daedal/model.hpp>
#include <map>
#include <string>
#include <vector>

namespace daedal::problems {

struct Problem {
  Model model;
  double stop_time = 1.0;
  int index = 3;
  /// Values at stop_time, by variable; each is good to `trusted` (absolute, relative above 1).
  std::map<std::string, double> end_values;
  double trusted = 0.0;
};

/// x'' = −λx, y'' = −λy − 9.81, x² + y² = 1, released at (1, 0): S = ½.
/// End values: quadruple precision, extrapolation of order 16.
Problem pendulum();

/// The pendulum with period two seconds of Fuehrer & Leimkuhler: g = 13.7503716373294544. From rest
/// at (1, 0) it comes back there at t = 2, 4, ..., 10.
Problem two_second_pendulum();

/// A point mass on a rod of length 1 about the origin, z upwards, from (1, 0, 0) with velocity
/// (0, 1, 0). End values: explicit extrapolation of the index-1 form at two step sizes.
Problem spherical_pendulum();

/// Two point masses of 1 kg on rods of 1 m in Cartesian coordinates, released horizontally. End
/// values: explicit extrapolation of the equations in angles at two step sizes.
Problem double_pendulum();

/// A crank-rocker: uniform bars (1 kg/m) of 1, 3 and 2.5 m, ground pivots 3 m apart, angles against
/// the horizontal, two loop constraints, gravity; released with the crank upright. End values: the
/// one-dimensional equation I(θ)θ'' = −½I'θ'² − V' in closed form, by extrapolation.
Problem four_bar();

/// The slider crank of Petzold, Ren & Maly (5.2), (5.3), from θ₁ = π/4 at rest on the branch
/// θ₂ = π − θ₁; it passes the bifurcation (0, π). End value: the equation of the branch,
/// (3 + 2cos2θ)θ'' = 2 sin2θ θ'² − 9.8 sin θ.
Problem slider_crank();

/// Andrews' squeezing mechanism: seven angles, six constraints, 0.03 s.
/// End values: quadruple precision, extrapolation of order 16.
Problem squeezer();

/// The car axis of the IVP test set: rheonomic constraint, S = −1.
/// End values: quadruple precision, extrapolation of order 16.
Problem car_axis();

/// Uniform rods of 1/links kg in a chain that hangs between (−1, 0) and (1, 0), natural coordinates
/// (the joints), gravity; released from a half circle. At least two links.
Problem closed_chain(int links);

/// The motion (36), (37) of Campbell & Moore on a torus, ρ = 5, r = 10, its seven equations mixed
/// by Φ of (39) so that all constraints are implicit. The exact solution has λ ≡ 0. The start is
/// exact, derivatives included: Φ vanishes at y_i = 2α too, and such a root would be as good a
/// start.
Problem torus();
/// The same with given α; what is given of the start is a guess.
Problem torus_from_guesses(double alpha);

/// A flexible-joint arm on the prescribed path q1 = sin t, with an actuator of growing order: index
/// 4, 5 or 6. Forces are added such that q2 = sin t + ½cos t, u = sin 2t, z = sin t.
Problem flexible_arm(int index);

/// 0 = x1 − sin t, x_i' = x_(i+1), i < n: index n, no free initial value.
Problem hessenberg_chain(int n);

/// A two-link robot with elastic joints and motor inertias, torques unknown, tip on a prescribed
/// path: index 5, no free initial value. End values: the equations solved one after the other for
/// the angles of the path, derivatives by computer algebra.
Problem elastic_robot();

/// Linear DAEs of index 2 to 4 with coefficients that vary in time, and one state z = cos t. Index
/// 2 is the example of Gear and Petzold (1984) with η = −2, on which backward differentiation of
/// the equations as written diverges; 3 and 4 are chains y_i + y_(i+1)' = f_i rotated by R(t).
Problem linear_time_varying(int index);

/// The N-four-bar mechanism of the IFToMM benchmark (A02): N + 1 cranks at unit distances, N
/// couplers between their tips, 2N + 1 uniform bars of 1 m and 1 kg, released upright with tips at
/// 1 m/s to the right. Whenever the bars lie flat the rank of the constraints drops by N. All
/// cranks turn alike, ((N+1)/3 + N) θ'' = 9.81 ((N+1)/2 + N) sin θ; end values for N = 2 and 40.
Problem n_four_bar(int loops);

/// Ascher & Lin's Examples 1 to 3, x₁' = −x₁ + x₂ − sin t, x₂' = (1 − 2t) y with the line
/// x₁ + x₂ = e⁻ᵗ + sin t as a constraint, times 1 − 2t where `is_singular_constraint`. The solution
/// x = (e⁻ᵗ, sin t) is smooth, y = cos t/(1 − 2t) is not. `shift` moves the factor 1 − 2t in time.
Model ascher_lin_line(double shift = 0.0, bool is_singular_constraint = true);
/// Their Example 4, B = Cᵀ = (t − ½, t² − ¼)ᵀ, with the solution x₁ = x₂ = y = eᵗ.
Model ascher_lin_comparison();

/// The crank-rocker of four_bar() with bars free in space and four ordinary hinges: 20 constraints
/// on 18 coordinates, of which three are redundant. It moves as four_bar() does.
Problem spatial_four_bar();

/// The Bricard mechanism of the IFToMM benchmark: six hinges at the corners of a cube, five uniform
/// rods of 1 m and 1 kg (square section of .1 m), released from rest. Natural coordinates, the
/// joints p and the directions u of their axes: 24 constraints on 24 coordinates, of which one is
/// redundant all along, so that the mobility is 1.
Problem bricard();

/// x' = −1, 0 = x − y² from x = y = 1: an impasse point at t = 1, beyond which there is no
/// solution.
Problem impasse();

/// The slider crank with rods of 1 and .9 and the crank prescribed, θ₁ = π/4 − t. It locks at cos
/// θ₁ = .9, t = π/4 − arccos .9.
Problem lock_up();

}  // namespace daedal::problems
