// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The tables of the Modelica Standard Library (CombiTable1D, CombiTable2D, CombiTimeTable), which
/// are written in C there. A table whose numbers stand in the text becomes an expression: a choice
/// between the polynomials of its pieces, by bisection. Tables of u make no events; a table of time
/// is at the piece that ends at its next event, which the model itself keeps in a variable.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/library/table_data.hpp"

namespace daedal::modelica {

class Tables {
 public:
  Tables(Context& context, Structure& structure, Functions& functions)
      : context_(context), structure_(structure), functions_(functions) {}

  /// Whether a function, by its own name or that of the C function behind it, reads such a table.
  [[nodiscard]] static bool has(std::string_view name, std::string_view external_name);
  /// The result of a call; the first argument is the table.
  Value call(std::string_view name, std::string_view external_name,
             std::span<const Value> arguments, Position where);

 private:
  /// A function that reads a table, by its name behind the library's prefix.
  struct Reading {
    std::string_view name;
    std::size_t least_arguments;
    Value (Tables::*read)(std::span<const Value> arguments, Position where);
  };
  static const Reading* find(std::string_view name, std::string_view external_name);

  struct Table {
    std::vector<std::vector<double>> rows{};
    std::vector<std::int64_t> columns{};
    Smoothness smoothness = Smoothness::linear;
    Extrapolation extrapolation = Extrapolation::last_two_points;
    TimeEvents time_events = TimeEvents::always;
    double start_time = 0.0;
    double shift_time = 0.0;
  };
  /// Points and values of one column; points may repeat where a table of time jumps.
  struct Column {
    std::vector<double> u{};
    std::vector<double> y{};
  };
  struct Case {
    double end = 0.0;  ///< it is taken for values below
    NodeId value = no_node;
  };

  const Table& table_of(const Value& object, Position where);
  Table read(const Value& object, Position where);
  double number(const Value& value, Position where);
  Column column(const Table& table, const Value& number_of_column, Position where);
  void check_increasing(const std::vector<double>& u, Position where) const;

  Value value_1d(std::span<const Value> arguments, Position where);
  Value value_2d(std::span<const Value> arguments, Position where);
  Value value_of_time(std::span<const Value> arguments, Position where);
  Value next_event(std::span<const Value> arguments, Position where);
  Value least_point(std::span<const Value> arguments, Position where);
  Value greatest_point(std::span<const Value> arguments, Position where);

  NodeId interpolated(const Column& column, const Table& table, NodeId u, Position where);
  std::vector<Case> cases(const Column& column, const Table& table, NodeId u, Position where);
  NodeId polynomial(const Piece& piece, NodeId u);
  /// The value of the first case whose end is above `chooser`, else of the last.
  NodeId choose(std::span<const Case> cases, NodeId chooser);
  NodeId wrapped(NodeId u, double begin, double period);

  Context& context_;
  Structure& structure_;
  Functions& functions_;
  std::unordered_map<std::string, Table> tables_;  ///< by the name of the object
};

}  // namespace daedal::modelica
