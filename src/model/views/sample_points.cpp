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

/// The compiled expressions and the leaves they read.
class Evaluation {
 public:
  Evaluation(const Pool& pool, std::span<const NodeId> expressions) {
    std::vector<kernel::Input> inputs;
    for (const NodeId leaf : dependencies(pool, expressions)) {
      if (pool[leaf].op == Op::constant) continue;
      inputs.push_back({leaf, 0, to_index(leaves_.size())});
      leaves_.push_back(leaf);
    }
    program_ = kernel::Program::compile(pool, expressions, inputs);
    workspace_ = program_.make_workspace();
    values_.resize(leaves_.size());
  }

  [[nodiscard]] std::span<const NodeId> leaves() const { return leaves_; }
  [[nodiscard]] std::span<double> values() { return values_; }
  void evaluate(std::span<double> out) {
    const double* const blocks[] = {values_.data()};
    program_.evaluate(blocks, out, workspace_);
  }

 private:
  std::vector<NodeId> leaves_;
  std::vector<double> values_;
  kernel::Program program_;
  kernel::Workspace workspace_;
};

std::vector<double> start_values(const SampleRequest& request, std::span<const Variable> list) {
  std::vector<NodeId> starts;
  for (const Variable& variable : list) {
    if (variable.start != no_node) starts.push_back(variable.start);
  }
  Evaluation evaluation(request.pool, starts);
  for (std::size_t i = 0; i < evaluation.leaves().size(); ++i) {
    const Node& node = request.pool[evaluation.leaves()[i]];
    evaluation.values()[i] = request.parameters[node.symbol];
  }
  std::vector<double> numbers(starts.size());
  evaluation.evaluate(numbers);
  std::vector<double> values;
  std::size_t next = 0;
  for (const Variable& variable : list) {
    values.push_back(variable.start == no_node ? 0.0 : numbers[next++]);
  }
  return values;
}

/// Draws a value for every leaf.
class Draw {
 public:
  explicit Draw(const SampleRequest& request)
      : request_(request),
        variables_(start_values(request, request.model.variables())),
        discretes_(start_values(request, request.model.discretes())) {}

  double operator()(const Node& node) {
    const auto symbol = static_cast<std::size_t>(std::max(node.symbol, 0));
    switch (node.op) {
      case Op::parameter:
        return request_.parameters[symbol];
      case Op::variable:
      case Op::pre_variable:
      case Op::final_variable:
        return variable(symbol, node.order);
      case Op::discrete:
      case Op::pre:
        return symbol < discretes_.size() ? discretes_[symbol] : 0.0;
      case Op::time:
        return 0.5 * (1.0 + uniform_(random_));
      default:
        return 0.0;
    }
  }

 private:
  double variable(std::size_t symbol, int order) {
    if (symbol >= variables_.size()) return uniform_(random_);
    const double scale = request_.spread * request_.model.variables()[symbol].nominal;
    return (order == 0 ? variables_[symbol] : 0.0) + scale * uniform_(random_);
  }

  const SampleRequest& request_;
  std::vector<double> variables_;
  std::vector<double> discretes_;
  std::mt19937 random_{20'011};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

}  // namespace

Matrix sample(const SampleRequest& request, std::span<const NodeId> expressions, Index n_points) {
  Evaluation evaluation(request.pool, expressions);
  Draw draw(request);
  Matrix rows(n_points, to_index(expressions.size()));
  std::vector<double> out(expressions.size());
  Index found = 0;
  for (Index tried = 0; tried < n_points * tries_per_point && found < n_points; ++tried) {
    for (std::size_t i = 0; i < evaluation.leaves().size(); ++i) {
      evaluation.values()[i] = draw(request.pool[evaluation.leaves()[i]]);
    }
    evaluation.evaluate(out);
    const auto values = as_vector(std::span<const double>(out));
    if (values.allFinite()) rows.row(found++) = values.transpose();
  }
  return rows.topRows(found);
}

double parameter_expression(const SampleRequest& request, NodeId expression) {
  Evaluation evaluation(request.pool, std::span(&expression, 1));
  for (std::size_t i = 0; i < evaluation.leaves().size(); ++i) {
    const Node& node = request.pool[evaluation.leaves()[i]];
    evaluation.values()[i] = request.parameters[node.symbol];
  }
  double value = 0.0;
  evaluation.evaluate(std::span(&value, 1));
  return value;
}

}  // namespace daedal
