// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The `lagrangian` section: coordinates, energies, forces and constraints, from which the
/// equations of motion follow (model/equations_of_motion.hpp).

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/equalities.hpp"

namespace daedal::modelica {

class LagrangianSection {
 public:
  LagrangianSection(Context& context, Components& components, Expressions& expressions,
                    Equalities& equalities)
      : context_(context),
        components_(components),
        expressions_(expressions),
        equalities_(equalities) {}

  /// One statement of the section. `suffix` tells the loop's indices.
  void read(const Statement& statement, const std::string& suffix);
  /// Appends the equations of motion to those of the model, which define what energies and
  /// constraints may contain beside coordinates.
  void derive(FlatEquations& equations);

 private:
  struct Coordinate {
    NodeId position = no_node;
    NodeId velocity = no_node;
    Position where{};
  };
  /// An energy, or one side of a constraint.
  struct Term {
    NodeId value = no_node;
    std::string_view what{};  ///< for messages
    Position where{};
    int highest = 1;  ///< derivative of a coordinate that it may contain
  };

  void read_coordinates(const ExprNode& list);
  void derive_now(FlatEquations& equations);
  void check_complete() const;
  void find_definitions(const FlatEquations& equations);
  void find_velocities(FlatEquations& equations);
  void constrain(FlatEquation& constraint);
  [[nodiscard]] std::vector<NodeId> total_forces() const;
  /// The value by coordinates, velocities, inputs, parameters and time.
  [[nodiscard]] NodeId resolve(const Term& term) const;
  [[nodiscard]] NodeId resolve_leaf(NodeId leaf, const Term& term) const;
  [[nodiscard]] std::string coordinate_names() const;
  [[nodiscard]] const std::string& name_of(NodeId variable) const;

  Context& context_;
  Components& components_;
  Expressions& expressions_;
  Equalities& equalities_;
  std::vector<Coordinate> coordinates_;
  std::unordered_map<NodeId, std::size_t> places_;      ///< of coordinates, by their positions
  std::unordered_map<NodeId, std::size_t> velocities_;  ///< and by their velocities
  std::vector<Term> energies_;                          ///< T and −V
  FlatEquations forces_;                                ///< on the left a coordinate
  FlatEquations constraints_;
  std::unordered_map<NodeId, NodeId> definitions_;  ///< of variables that are no coordinates
  Position begin_{};                                ///< of the first statement
  bool has_kinetic_ = false;
};

}  // namespace daedal::modelica
