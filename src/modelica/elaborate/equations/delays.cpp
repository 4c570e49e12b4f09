// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

namespace {

/// The number of changes that may be delayed at the same time.
constexpr std::size_t queue_length = 16;
/// The time of the next change when there is none.
constexpr double no_change = 1e300;

}  // namespace

NodeId Delays::add(NodeId u, NodeId delay_time, std::optional<double> longest, Position where) {
  const std::optional<double> seconds = structure_.fix(delay_time);
  if (!seconds && !longest) {
    context_.fail(ErrorCode::unsupported, where,
                  "The time of 'delay' changes: write the longest that it will be as a third "
                  "argument.");
  }
  if (const double greatest = seconds ? *seconds : *longest; greatest < 0.0) {
    context_.fail(ErrorCode::unsupported, where,
                  fmt::format("The time of 'delay' must not be negative (got {}).", greatest));
  }
  Pool& pool = context_.pool;
  if (!seconds) {
    return context_.builder.delay({pool, variable_of(u, where)}, {pool, delay_time}, *longest)
        .in(pool);
  }
  if (*seconds == 0.0) return u;
  const bool is_discrete = !structure_.is_continuous(u) ||
                           context_.pruning.discrete_delays.contains(equation_key(where));
  if (!is_discrete) {
    const NodeId variable = variable_of(u, where);
    signals_.emplace_back(variable, where);
    return context_.builder.delay({pool, variable}, *seconds).in(pool);
  }
  const NodeId result = discretes_.add_hidden("delay", ValueType::real, 0.0, where);
  context_.uses.push_back({.node = u, .unit = context_.unit, .defined = result});
  delays_.push_back({u, delay_time, result, where});
  return result;
}

std::pair<NodeId, NodeId> Delays::add_transport(const Flow& flow, Position where) {
  Pool& pool = context_.pool;
  const auto variable = [&](NodeId node) { return Expr{pool, variable_of(node, where)}; };
  const auto [out0, out1] = context_.builder.transport({.in0 = variable(flow.in0),
                                                        .in1 = variable(flow.in1),
                                                        .position = variable(flow.position),
                                                        .is_positive = {pool, flow.is_positive},
                                                        .points = flow.points,
                                                        .values = flow.values});
  return {out0.in(pool), out1.in(pool)};
}

/// Only variables have a past: an expression becomes one.
NodeId Delays::variable_of(NodeId u, Position where) {
  if (context_.instant) {
    context_.fail(ErrorCode::unsupported, where,
                  "The past of what changes between events belongs to equations that hold always.");
  }
  const Node node = context_.pool[u];
  if (node.op == Op::variable && node.order == 0) return u;
  const std::string name = fmt::format("$delayed{}", equations_.size() + n_moved_ + 1);
  const NodeId variable =
      components_.add_variable(name, {.where = context_.diagnostics.source(where)});
  equations_.push_back({.lhs = variable,
                        .rhs = u,
                        .where = where,
                        .name = "what is delayed",
                        .unit = context_.unit});
  return variable;
}

void Delays::move_to(FlatEquations& equations) {
  n_moved_ += equations_.size();
  std::ranges::move(equations_, std::back_inserter(equations));
  equations_.clear();
}

NodeId Delays::discrete_source(NodeId u, const FlatEquations& equations) {
  if (!structure_.is_continuous(u)) return u;
  for (const FlatEquation& equation : equations) {
    if (equation.lhs == u && !structure_.is_continuous(equation.rhs)) return equation.rhs;
    if (equation.rhs == u && !structure_.is_continuous(equation.lhs)) return equation.lhs;
  }
  return no_node;
}

bool Delays::has_found_discrete(const FlatEquations& equations) {
  bool has_found = false;
  for (const auto& [variable, where] : signals_) {
    if (discrete_source(variable, equations) == no_node) continue;
    has_found |= context_.pruning.discrete_delays.insert(equation_key(where)).second;
  }
  return has_found;
}

void Delays::finish(const FlatEquations& equations) {
  for (const Delay& delay : delays_) define(delay, discrete_source(delay.u, equations));
}

/// Places 1, 2, ... of the queue hold the times of changes and the values since, the oldest first.
/// When the first is due all move up; a change goes to the place behind the last.
void Delays::define(const Delay& delay, NodeId u) {
  Pool& pool = context_.pool;
  const Position where = delay.where;
  const auto hidden = [&](ValueType type, double start) {
    return discretes_.add_hidden("delay", type, start, where);
  };
  const auto before = [&](NodeId variable) {
    return context_.builder.pre({pool, variable}).in(pool);
  };
  const NodeId one = pool.constant(1.0);
  const NodeId last = hidden(ValueType::real, 0.0);
  const NodeId n = hidden(ValueType::integer, 0.0);
  std::vector<NodeId> times;
  std::vector<NodeId> values;
  for (std::size_t i = 0; i < queue_length; ++i) {
    times.push_back(hidden(ValueType::real, no_change));
    values.push_back(hidden(ValueType::real, 0.0));
  }
  const NodeId is_due = pool.relation(Op::greater_equal, pool.time(),
                                      pool.add(before(times.front()), delay.delay_time));
  const NodeId has_changed =
      pool.binary(Op::logical_and, pool.unary(Op::logical_not, pool.initial()),
                  pool.immediate_relation(Op::not_equal, u, before(last)));
  const NodeId remaining = pool.if_else(is_due, pool.sub(before(n), one), before(n));
  for (std::size_t i = 0; i < queue_length; ++i) {
    const bool is_end = i + 1 == queue_length;
    const NodeId next_time = is_end ? pool.constant(no_change) : before(times[i + 1]);
    const NodeId next_value = is_end ? pool.constant(0.0) : before(values[i + 1]);
    const NodeId here = pool.binary(
        Op::logical_and, has_changed,
        pool.immediate_relation(Op::equal, remaining, pool.constant(static_cast<double>(i))));
    const NodeId old_time = pool.if_else(is_due, next_time, before(times[i]));
    const NodeId old_value = pool.if_else(is_due, next_value, before(values[i]));
    discretes_.define(times[i], pool.if_else(here, pool.time(), old_time), where);
    discretes_.define(values[i], pool.if_else(here, u, old_value), where);
  }
  discretes_.define(n, pool.if_else(has_changed, pool.add(remaining, one), remaining), where);
  discretes_.define(last, u, where);
  const NodeId later = pool.if_else(is_due, before(values.front()), before(delay.result));
  discretes_.define(delay.result, pool.if_else(pool.initial(), u, later), where);
  const NodeId fits =
      pool.immediate_relation(Op::less_equal, n, pool.constant(static_cast<double>(queue_length)));
  context_.builder.assertion(
      {.condition = fits,
       .message = fmt::format("A delayed value changes more than {} times within its delay.",
                              queue_length),
       .where = context_.diagnostics.source(where)});
}

}  // namespace daedal::modelica
