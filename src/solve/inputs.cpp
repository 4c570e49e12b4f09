// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/inputs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/structural_report.hpp"
#include "expr/traverse.hpp"
#include "model/leaves.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"
#include "modelica/input_expression.hpp"
#include "modelica/library/table_data.hpp"
#include "solve/settable_inputs.hpp"

namespace daedal {

namespace {

using modelica::Piece;

/// The smoothness of a table that is one polynomial.
constexpr int always_smooth = std::numeric_limits<int>::max() / 2;

[[noreturn]] void refuse_input(ErrorCode code, const std::string& text) {
  throw OptionError(code, text);
}

[[noreturn]] void refuse_table(const std::string& name, const std::string& text) {
  refuse_input(ErrorCode::invalid_value, fmt::format("The table of the input '{}' {}", name, text));
}

void check_numbers(const std::string& name, const InputTable& table) {
  const std::size_t n = table.times.size();
  if (n == 0) refuse_table(name, "is empty.");
  if (table.values.size() != n) {
    refuse_table(name, fmt::format("has {} times, but {} values.", n, table.values.size()));
  }
  if (!table.derivatives.empty() && table.derivatives.size() != n) {
    refuse_table(name,
                 fmt::format("has {} times, but {} derivatives.", n, table.derivatives.size()));
  }
  if (!table.derivatives.empty() && table.interpolation != Interpolation::smooth) {
    refuse_table(name, "has derivatives, which only smooth interpolation uses.");
  }
  for (const auto* column : {&table.times, &table.values, &table.derivatives}) {
    for (std::size_t i = 0; i < column->size(); ++i) {
      if (std::isfinite((*column)[i])) continue;
      refuse_table(name, fmt::format("has a value in row {} that is not a finite number.", i + 1));
    }
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (table.times[i] > table.times[i + 1]) {
      refuse_table(name, fmt::format("is not in order: the time {:.12g} is followed by {:.12g}.",
                                     table.times[i], table.times[i + 1]));
    }
    if (i + 2 < n && table.times[i] == table.times[i + 2]) {
      refuse_table(name, fmt::format("has more than two points at the time {:.12g}: two are a jump "
                                     "from the one to the other.",
                                     table.times[i]));
    }
  }
}

/// Booleans and Integers take only some values.
void check_discrete_value(const Variable& variable, double value) {
  const bool fits = variable.type == ValueType::boolean ? value == 0.0 || value == 1.0
                                                        : value == std::round(value);
  if (fits) return;
  refuse_input(
      ErrorCode::invalid_value,
      fmt::format("The input '{}' is {}: {:.12g} is not a valid value for it.", variable.name,
                  variable.type == ValueType::boolean ? "a Boolean, 0 or 1" : "an Integer", value));
}

/// A table as polynomials, each from its beginning on.
struct Pieces {
  std::vector<Piece> list{};
  int degree = 0;
  int smoothness = always_smooth;  ///< the derivative up to which it is continuous; -1: it jumps
};

/// Whether the piece after another only continues it.
bool continues(const Piece& before, const Piece& after, bool jumps) {
  const auto& a = before.coefficients;
  const auto& b = after.coefficients;
  return !jumps && a[1] == b[1] && a[2] == 0.0 && a[3] == 0.0 && b[2] == 0.0 && b[3] == 0.0;
}

Pieces held_pieces(const InputTable& table) {
  Pieces pieces;
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    const bool is_replaced = i + 1 < table.times.size() && table.times[i + 1] == table.times[i];
    if (is_replaced) continue;
    if (!pieces.list.empty() && pieces.list.back().coefficients[0] == table.values[i]) continue;
    pieces.list.push_back({table.times[i], {table.values[i]}});
  }
  if (pieces.list.size() > 1) pieces.smoothness = -1;
  return pieces;
}

/// Each stretch between jumps is interpolated on its own.
Pieces interpolated_pieces(const std::string& name, const InputTable& table) {
  const bool is_linear = table.interpolation == Interpolation::linear;
  Pieces pieces{.degree = is_linear ? 1 : 3};
  const std::size_t n = table.times.size();
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && table.times[end] > table.times[end - 1]) ++end;
    const auto u = std::span(table.times).subspan(begin, end - begin);
    const auto y = std::span(table.values).subspan(begin, end - begin);
    std::vector<Piece> own;
    if (is_linear || u.size() == 1) {
      own = modelica::interpolate(u, y, modelica::Smoothness::linear);
    } else if (table.derivatives.empty()) {
      const std::vector<double> slopes = modelica::spline_slopes(u, y);
      if (const std::string doubt = modelica::doubt_of_spline(u, y, slopes); !doubt.empty()) {
        refuse_table(name, doubt + ". Two points at one time are a jump.");
      }
      own = modelica::cubics(u, y, slopes);
    } else {
      own = modelica::cubics(u, y, std::span(table.derivatives).subspan(begin, end - begin));
    }
    const bool jumps = begin > 0 && table.values[begin] != table.values[begin - 1];
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (!pieces.list.empty() && continues(pieces.list.back(), own[k], k == 0 && jumps)) continue;
      pieces.list.push_back(own[k]);
    }
    if (jumps) pieces.smoothness = -1;
    begin = end;
  }
  if (pieces.list.size() > 1 && pieces.smoothness >= 0) {
    const int of_cubics = table.derivatives.empty() ? 2 : 1;
    pieces.smoothness =
        is_linear || std::ranges::adjacent_find(table.times) != table.times.end() ? 0 : of_cubics;
  }
  return pieces;
}

/// Writes a model whose inputs have values.
class InputWriter {
 public:
  explicit InputWriter(const Model& model)
      : model_(model),
        data_(std::make_shared<Model::Data>(copy_of(model))),
        pool_(std::make_shared<Pool>(model.pool())) {}

  void give(std::size_t number, const InputValue& value) {
    ModelInput& input = data_->inputs[number];
    const Variable& variable = model_.variable_of(input);
    if (const double* constant = std::get_if<double>(&value)) {
      check_input_value(input, variable, *constant);
      define(input, pool_->constant(*constant));
    } else if (const std::string* text = std::get_if<std::string>(&value)) {
      define(input, expression(*text, variable));
    } else if (const Function* function = std::get_if<Function>(&value)) {
      if (input.is_discrete) {
        refuse_input(ErrorCode::invalid_value,
                     fmt::format("The input '{}' changes at events alone: give it a table or an "
                                 "expression, not a function.",
                                 variable.name));
      }
      define(input, (*function)(Expr(*pool_, pool_->time())).id());
    } else {
      define(input, table(std::get<InputTable>(value), input, variable));
    }
  }

  Model finish() {
    pool_->freeze();
    data_->pool = pool_;
    Model result{std::shared_ptr<const Model::Data>(data_)};
    if (!limits_.empty()) check_derivatives(result);
    return result;
  }

 private:
  /// How often an input may be differentiated.
  struct Limit {
    std::int32_t equation = -1;
    std::string name;
    int smoothness = 0;
    Interpolation interpolation = Interpolation::linear;
  };

  void define(ModelInput& input, NodeId value) {
    if (input.is_discrete) {
      auto& equations = data_->discrete_equations;
      if (input.default_equation < 0) {
        input.default_equation = static_cast<std::int32_t>(equations.size());
        equations.push_back({.discrete = input.variable});
      }
      equations[static_cast<std::size_t>(input.default_equation)].value = value;
    } else {
      auto& equations = data_->equations;
      if (input.default_equation < 0) {
        input.default_equation = static_cast<std::int32_t>(equations.size());
        const Variable& variable = model_.variable_of(input);
        equations.push_back(
            {.name = fmt::format("input {}", variable.name), .where = variable.where});
      }
      Equation& equation = equations[static_cast<std::size_t>(input.default_equation)];
      equation.lhs = pool_->variable(input.variable);
      equation.rhs = value;
    }
    for (Limit& limit : limits_) {
      if (limit.equation < 0) limit.equation = input.default_equation;
    }
  }

  /// A hidden discrete variable, which is not a result.
  std::int32_t add_hidden(const std::string& name, NodeId start) {
    data_->discretes.push_back({.name = "$" + name, .start = start, .fixed = true});
    return static_cast<std::int32_t>(data_->discretes.size() - 1);
  }

  /// The expression in the model's own pool, with everything that it needs at events.
  NodeId expression(const std::string& text, const Variable& variable) {
    const Model given = parse_input_expression(text, variable, model_);
    Pool source(given.pool());
    const auto n_discretes = static_cast<SymbolId>(given.discretes().size());
    const auto n_samplers = static_cast<SymbolId>(given.samplers().size());
    const auto first = static_cast<SymbolId>(data_->discretes.size());
    const auto first_sampler = static_cast<SymbolId>(data_->samplers.size());
    // Leaves first, because a rewriter covers only nodes that its source has when it is made.
    for (SymbolId i = 0; i < n_discretes; ++i) source.pre(source[source.discrete(i)].symbol);
    for (SymbolId i = 0; i < n_samplers; ++i) source.sample(i);
    for (std::size_t i = 0; i < given.parameters().size(); ++i) {
      source.parameter(static_cast<SymbolId>(i));
    }
    Rewriter rewriter(source, *pool_);
    std::unordered_map<std::string_view, std::size_t> number;
    for (const Parameter& parameter : data_->parameters)
      number.emplace(parameter.name, number.size());
    for (std::size_t i = 0; i < given.parameters().size(); ++i) {
      const auto symbol = static_cast<SymbolId>(i);
      const auto own = number.find(given.parameters()[i].name);
      if (own == number.end()) continue;
      rewriter.bind(source.parameter(symbol), pool_->parameter(static_cast<SymbolId>(own->second)));
      // What the structure of the expression was read from must keep its value.
      Parameter& parameter = data_->parameters[own->second];
      parameter.constant = parameter.constant || given.parameters()[i].constant;
    }
    for (SymbolId i = 0; i < n_discretes; ++i) {
      rewriter.bind(source.discrete(i), pool_->discrete(first + i));
      rewriter.bind(source.pre(i), pool_->pre(first + i));
    }
    for (SymbolId i = 0; i < n_samplers; ++i) {
      rewriter.bind(source.sample(i), pool_->sample(first_sampler + i));
    }
    for (const Variable& discrete : given.discretes()) {
      add_hidden(fmt::format("input({}).{}", variable.name, discrete.name),
                 rewriter.rewrite(discrete.start));
      data_->discretes.back().type = discrete.type;
    }
    for (const Sampler& sampler : given.samplers()) {
      data_->samplers.push_back({.start = rewriter.rewrite(sampler.start),
                                 .interval = rewriter.rewrite(sampler.interval)});
    }
    for (const DiscreteEquation& equation : given.discrete_equations()) {
      data_->discrete_equations.push_back(
          {.discrete = first + equation.discrete, .value = rewriter.rewrite(equation.value)});
    }
    for (WhenClause clause : given.when_clauses()) {
      for (WhenBranch& branch : clause.branches) {
        branch.condition = rewriter.rewrite(branch.condition);
        for (WhenAction& action : branch.actions) {
          action.value = rewriter.rewrite(action.value);
          if (action.kind == WhenAction::Kind::assign) action.target += first;
        }
      }
      clause.algorithm = -1;
      data_->when_clauses.push_back(std::move(clause));
    }
    if (variable.type != ValueType::real) return pool_->discrete(first);
    return rewriter.rewrite(given.equations().front().rhs);
  }

  NodeId table(const InputTable& given, const ModelInput& input, const Variable& variable) {
    check_numbers(variable.name, given);
    const bool holds = input.is_discrete || given.interpolation == Interpolation::hold;
    if (input.is_discrete) {
      for (const double value : given.values) check_discrete_value(variable, value);
    }
    const Pieces pieces = holds ? held_pieces(given) : interpolated_pieces(variable.name, given);
    for (const Piece& piece : pieces.list) {
      if (std::ranges::all_of(piece.coefficients, [](double c) { return std::isfinite(c); })) {
        continue;
      }
      refuse_table(variable.name,
                   fmt::format("is too steep after the time {:.12g}: its derivatives there are no "
                               "finite numbers.",
                               piece.begin));
    }
    if (!input.is_discrete) {
      limits_.push_back({.name = variable.name,
                         .smoothness = pieces.smoothness,
                         .interpolation = given.interpolation});
    }
    return schedule(pieces,
                    {.begin = given.times.front(), .end = given.times.back(), .holds = holds},
                    variable);
  }

  /// The polynomial of the piece that holds, with coefficients that change from piece to piece.
  NodeId schedule(const Pieces& pieces, Schedule schedule, const Variable& variable) {
    schedule.input = variable.name;
    schedule.is_smooth = pieces.smoothness >= 1;
    const std::size_t n_columns = static_cast<std::size_t>(pieces.degree) + 1;
    const bool has_begin = pieces.degree > 0;
    for (const Piece& piece : pieces.list) {
      schedule.times.push_back(piece.begin);
      for (std::size_t k = 0; k < n_columns; ++k) {
        schedule.values.push_back(piece.coefficients[k]);
      }
      if (has_begin) schedule.values.push_back(piece.begin);
    }
    const std::size_t width = n_columns + (has_begin ? 1 : 0);
    std::vector<NodeId> leaves;
    for (std::size_t k = 0; k < width; ++k) {
      // Where a start is looked at to see what matters, no coefficient shall happen to be zero.
      double greatest = 0.0;
      for (std::size_t i = k; i < schedule.values.size(); i += width) {
        if (std::abs(schedule.values[i]) > std::abs(greatest)) greatest = schedule.values[i];
      }
      const std::int32_t hidden =
          add_hidden(fmt::format("input({})[{}]", variable.name, k + 1), pool_->constant(greatest));
      data_->discretes.back().type = variable.type;
      schedule.discretes.push_back(hidden);
      leaves.push_back(pool_->discrete(hidden));
    }
    data_->schedules.push_back(std::make_shared<const Schedule>(std::move(schedule)));
    NodeId sum = leaves[n_columns - 1];
    for (std::size_t k = n_columns - 1; k-- > 0;) {
      const NodeId distance = pool_->sub(pool_->time(), leaves.back());
      sum = pool_->add(leaves[k], pool_->mul(distance, sum));
    }
    return sum;
  }

  /// The k-th derivative of an input exists where its (k-1)-th is continuous.
  void check_derivatives(const Model& model) const {
    const std::vector<Index> order = differentiation_orders(model);
    if (order.empty()) return;  // whoever solves the model says what is wrong with it
    for (const Limit& limit : limits_) {
      const Index needed = order[to_size(limit.equation)];
      if (needed <= limit.smoothness + 1) continue;
      const bool can_smooth = limit.interpolation != Interpolation::smooth && needed <= 3;
      refuse_input(
          ErrorCode::invalid_value,
          fmt::format("The equations of '{}' need derivative {} of the input '{}', but {}. {}",
                      model.name(), needed, limit.name,
                      limit.smoothness < 0
                          ? std::string("its table jumps")
                          : fmt::format("derivative {} of its table jumps", limit.smoothness + 1),
                      can_smooth
                          ? "Interpolate it smoothly (--interpolation smooth), or give it as an "
                            "expression of time."
                          : "Give it as an expression of time."));
    }
  }

  const Model& model_;
  std::shared_ptr<Model::Data> data_;
  std::shared_ptr<Pool> pool_;
  std::vector<Limit> limits_;
};

}  // namespace

std::size_t find_input(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    names.push_back(model.variable_of(model.inputs()[i]).name);
    if (names.back() == name) return i;
  }
  for (const auto& variables : {model.variables(), model.discretes()}) {
    for (const Variable& variable : variables) {
      if (variable.name != name) continue;
      refuse_input(
          ErrorCode::unknown_name,
          variable.causality == Causality::input
              ? fmt::format("The input '{}' of model '{}' cannot be given: an equation of "
                            "the model determines it.",
                            name, model.name())
              : fmt::format("'{}' is not an input of model '{}': its declaration must say so, "
                            "as in 'input Real u'.",
                            name, model.name()));
    }
  }
  const std::string nearest = nearest_name(name, names);
  refuse_input(ErrorCode::unknown_name,
               fmt::format("Model '{}' has no input '{}'{}", model.name(), name,
                           nearest.empty() ? names.empty() ? "; it has none." : "."
                                           : fmt::format("; did you mean '{}'?", nearest)));
}

void check_input_value(const ModelInput& input, const Variable& variable, double value) {
  if (!std::isfinite(value)) {
    refuse_input(
        ErrorCode::invalid_value,
        fmt::format("The value given for the input '{}' is not a finite number.", variable.name));
  }
  if (input.is_discrete) check_discrete_value(variable, value);
}

std::string input_parameter(std::string_view input) {
  return fmt::format("$input({})", input);
}

bool is_input_parameter(const Parameter& parameter) {
  return parameter.name.starts_with("$input(");
}

void check_covered(const Schedule& table, const TimeSpan& span) {
  // A run may go beyond by this share of the table's length, for times that were rounded.
  constexpr double slack = 1e-9;
  const double margin = slack * (table.end - table.begin);
  if (span.start >= table.begin - margin && (table.holds || span.stop <= table.end + margin)) {
    return;
  }
  refuse_input(
      ErrorCode::invalid_value,
      fmt::format("The run from {:.12g} to {:.12g} leaves the table of the input '{}', which {}.",
                  span.start, span.stop, table.input,
                  table.holds
                      ? fmt::format("begins at {:.12g}", table.begin)
                      : fmt::format("reaches from {:.12g} to {:.12g}", table.begin, table.end)));
}

Model with_input_parameters(const Model& model) {
  if (model.inputs().empty()) return model;
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (const ModelInput& input : model.inputs()) {
    if (input.default_equation < 0) continue;
    const auto number = static_cast<std::size_t>(input.default_equation);
    NodeId& value =
        input.is_discrete ? data->discrete_equations[number].value : data->equations[number].rhs;
    LeafWalker walker(*pool);
    const auto leaves = walker.leaves(value);
    const bool is_number =
        std::ranges::all_of(leaves, [&](NodeId leaf) { return (*pool)[leaf].op == Op::parameter; });
    if (!is_number) continue;
    const Variable& variable = model.variable_of(input);
    data->parameters.push_back(
        {.name = input_parameter(variable.name), .value = value, .type = variable.type});
    value = pool->parameter(static_cast<SymbolId>(data->parameters.size() - 1));
  }
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::shared_ptr<const Model::Data>(std::move(data)));
}

std::vector<Index> differentiation_orders(const Model& model) {
  const auto report = analysis::find_structural_report(model);
  if (!report) return {};
  std::vector<Index> order(model.equations().size(), 0);
  for (std::size_t i = 0; i < report->offsets.c.size(); ++i) {
    order[to_size(report->model.equations[i])] = report->offsets.c[i];
  }
  return order;
}

InputTable tabulate(const std::function<double(double)>& function,
                    const std::function<double(double)>& derivative, std::vector<double> times) {
  InputTable table{.times = std::move(times), .interpolation = Interpolation::smooth};
  for (const double t : table.times) {
    table.values.push_back(function(t));
    table.derivatives.push_back(derivative(t));
  }
  return table;
}

Model with_inputs(const Model& model, const Inputs& inputs) {
  if (inputs.empty()) return model;
  InputWriter writer(model);
  for (const auto& [name, value] : inputs) writer.give(find_input(model, name), value);
  return writer.finish();
}

}  // namespace daedal
