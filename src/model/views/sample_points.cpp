// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/sample_points.hpp"

#include <algorithm>
#include <random>

#include "expr/calculus.hpp"
#include "kernel/program.hpp"

namespace daedal {

namespace {

/// Points with a value that is not finite are drawn again, this often per point asked for.
constexpr Index tries_per_point = 20;

std::vector<NodeId> leaves_of(const Pool& pool, std::span<const NodeId> expressions) {
  std::vector<NodeId> leaves;
  for (const NodeId leaf : dependencies(pool, expressions)) {
    if (pool[leaf].op != Op::constant) leaves.push_back(leaf);
  }
  return leaves;
}

kernel::Program compile(const Pool& pool, std::span<const NodeId> expressions,
                        std::span<const NodeId> leaves) {
  std::vector<kernel::Input> inputs;
  for (const NodeId leaf : leaves) inputs.push_back({leaf, 0, to_index(inputs.size())});
  return kernel::Program::compile(pool, expressions, inputs);
}

/// The numbers of expressions of parameters.
std::vector<double> numbers_of(const Pool& pool, std::span<const double> parameters,
                               std::span<const NodeId> expressions) {
  const std::vector<NodeId> leaves = leaves_of(pool, expressions);
  std::vector<double> values;
  for (const NodeId leaf : leaves) {
    values.push_back(parameters[static_cast<std::size_t>(pool[leaf].symbol)]);
  }
  const kernel::Program program = compile(pool, expressions, leaves);
  kernel::Workspace workspace = program.make_workspace();
  const double* const blocks[] = {values.data()};
  std::vector<double> numbers(expressions.size());
  program.evaluate(blocks, numbers, workspace);
  return numbers;
}

/// Draws a value for every leaf.
class Draw {
 public:
  Draw(const Model& model, std::span<const double> parameters, double spread)
      : model_(model),
        parameters_(parameters),
        spread_(spread),
        starts_(start_values(model, parameters)) {}

  double operator()(const Node& node) {
    const auto symbol = static_cast<std::size_t>(std::max(node.symbol, 0));
    switch (node.op) {
      case Op::parameter:
        return parameters_[symbol];
      case Op::variable:
      case Op::pre_variable:
      case Op::final_variable:
        return variable(symbol, node.order);
      case Op::discrete:
      case Op::pre:
        return discrete(symbol);
      case Op::time:
        return 0.5 * (1.0 + uniform_(random_));
      default:
        return 0.0;
    }
  }

 private:
  double variable(std::size_t symbol, int order) {
    if (symbol >= model_.variables().size()) return uniform_(random_);
    const double scale = spread_ * model_.variables()[symbol].nominal;
    return (order == 0 ? starts_[symbol] : 0.0) + scale * uniform_(random_);
  }
  [[nodiscard]] double discrete(std::size_t symbol) const {
    const std::size_t i = model_.variables().size() + symbol;
    return i < starts_.size() ? starts_[i] : 0.0;
  }

  const Model& model_;
  std::span<const double> parameters_;
  double spread_;
  std::vector<double> starts_;
  std::mt19937 random_{20'011};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

}  // namespace

PointSampler::PointSampler(const Model& model, const Pool& pool,
                           std::span<const NodeId> expressions)
    : model_(model) {
  const std::vector<NodeId> leaves = leaves_of(pool, expressions);
  for (const NodeId leaf : leaves) leaves_.push_back(pool[leaf]);
  program_ = compile(pool, expressions, leaves);
}

Matrix PointSampler::operator()(std::span<const double> parameters, Index n_points,
                                double spread) const {
  Draw draw(model_, parameters, spread);
  Matrix rows(n_points, program_.n_outputs());
  std::vector<double> values(leaves_.size());
  std::vector<double> out(to_size(program_.n_outputs()));
  kernel::Workspace workspace = program_.make_workspace();
  const double* const blocks[] = {values.data()};
  Index found = 0;
  for (Index tried = 0; tried < n_points * tries_per_point && found < n_points; ++tried) {
    std::ranges::transform(leaves_, values.begin(), [&](const Node& leaf) { return draw(leaf); });
    program_.evaluate(blocks, out, workspace);
    const auto point = as_vector(std::span<const double>(out));
    if (point.allFinite()) rows.row(found++) = point.transpose();
  }
  return rows.topRows(found);
}

std::vector<double> start_values(const Model& model, std::span<const double> parameters) {
  std::vector<NodeId> starts;
  std::vector<std::size_t> places;
  std::size_t n = 0;
  for (const auto list : {model.variables(), model.discretes()}) {
    for (const Variable& variable : list) {
      if (variable.start != no_node) {
        starts.push_back(variable.start);
        places.push_back(n);
      }
      ++n;
    }
  }
  const std::vector<double> numbers = numbers_of(*model.pool(), parameters, starts);
  std::vector<double> values(n, 0.0);
  for (std::size_t k = 0; k < places.size(); ++k) values[places[k]] = numbers[k];
  return values;
}

double parameter_expression(const Pool& pool, std::span<const double> parameters,
                            NodeId expression) {
  return numbers_of(pool, parameters, std::span(&expression, 1)).front();
}

}  // namespace daedal
