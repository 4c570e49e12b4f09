// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Mechanical systems by their energies. State T(q,v,t), V(q,v,t), forces and constraints; the
/// equations of motion are derived from these:
///
///   d/dt ∂L/∂v − ∂L/∂q = Q − Gᵀλ,   0 = g(q,t),   L = T − V,   G = ∂g/∂q
///
/// (Poell & Hafner (20)-(24), potentials that depend on velocity included).
///
///     Lagrangian pendulum("Pendulum");
///     auto [x, vx] = pendulum.coordinate("x", {.start = 1.0, .fixed = true});
///     auto [y, vy] = pendulum.coordinate("y");
///     pendulum.kinetic_energy(0.5 * (vx * vx + vy * vy));
///     pendulum.potential_energy(9.81 * y);
///     pendulum.constraint((x * x + y * y - 1) / 2, "rod");
///     Model model = pendulum.build();

#include <daedal/expr.hpp>
#include <daedal/model.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

struct CoordinateOptions {
  std::optional<Expr> start{};  ///< of the position; absent means 0, a guess
  bool fixed = false;
  std::optional<Expr> velocity_start{};
  bool velocity_fixed = false;
  std::string velocity_name{};  ///< by default "der(q)" for the coordinate q
  double nominal = 1.0;
  double velocity_nominal = 1.0;
  std::string unit{};
  std::string description{};
};

/// A position and its velocity.
struct Coordinate {
  Expr q;
  Expr v;
};

class DAEDAL_EXPORT Lagrangian {
 public:
  explicit Lagrangian(std::string name, std::string description = {});

  Coordinate coordinate(const std::string& name, const CoordinateOptions& options = {});
  Expr parameter(const std::string& name, Expr value, const ParameterOptions& options = {});
  Expr time();

  /// Energies and forces add up over calls, so that a system can be stated body by body.
  void kinetic_energy(Expr t);
  void potential_energy(Expr v);
  /// The generalised force Q on a coordinate: its virtual work is Q δq.
  void force(const Coordinate& coordinate, Expr q);
  /// 0 = g(q, t). Multipliers are named lambda[1], lambda[2], ...
  void constraint(Expr g, const std::string& name = {});

  /// For what else the model shall hold: experiment, initial equations, assertions.
  ModelBuilder& builder() { return builder_; }

  /// Derives the equations of motion. The model's variables are position and velocity of every
  /// coordinate in turn, then the multipliers; its energy is v·∂L/∂v − L, which is T + V when V is
  /// free of velocities and T is quadratic in them. The object is empty afterwards.
  Model build();

 private:
  struct Constraint {
    Expr g;
    std::string name;
  };

  ModelBuilder builder_;
  std::vector<Coordinate> coordinates_;
  std::vector<std::string> names_;
  std::unordered_map<NodeId, std::size_t> index_;  ///< coordinates by the node of their position
  std::vector<Expr> forces_;
  std::vector<Constraint> constraints_;
  Expr kinetic_;
  Expr potential_;
};

}  // namespace daedal
