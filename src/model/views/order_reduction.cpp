// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/order_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/leaves.hpp"
#include "model/map_expressions.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"

namespace daedal {

namespace {

class OrderReduction {
 public:
  OrderReduction(const Model& model, std::vector<int> orders)
      : data_(copy_of(model)),
        orders_(std::move(orders)),
        first_new_(orders_.size(), -1),
        source_(model.pool()),
        pool_(std::make_shared<Pool>()),
        rewriter_(*source_, *pool_) {}

  Model reduce() {
    add_unknowns();
    bind_leaves();
    const auto rewrite = [this](NodeId& id) { id = rewriter_.rewrite(id); };
    for_each_parameter_expression(data_, rewrite);
    for_each_dynamic_expression(data_, rewrite);
    add_equations();
    take_start_values();
    pool_->freeze();
    data_.pool = pool_;
    return Model(std::make_shared<const Model::Data>(std::move(data_)));
  }

 private:
  static std::string derivative_name(const std::string& name, int order) {
    return order == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, order);
  }

  void add_unknowns() {
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      if (orders_[i] < 2) continue;
      first_new_[i] = static_cast<std::int32_t>(data_.variables.size());
      for (int order = 1; order < orders_[i]; ++order) {
        const Variable& base = data_.variables[i];
        data_.variables.push_back({.name = derivative_name(base.name, order),
                                   .nominal = base.nominal,
                                   .state_select = base.state_select,
                                   .where = base.where});
      }
    }
  }

  /// The order-th derivative of a variable as an unknown of the result, or its first derivative.
  NodeId derivative(std::int32_t variable, int order) {
    const int highest = orders_[variable];
    if (order == 0 || highest < 2) return pool_->variable(variable, order);
    const std::int32_t first = first_new_[variable];
    if (order < highest) return pool_->variable(first + order - 1);
    return pool_->variable(first + highest - 2, order - highest + 1);
  }

  void bind_leaves() {
    for (NodeId id = 0; id < source_->size(); ++id) {
      const Node& node = (*source_)[id];
      if (node.op == Op::variable) rewriter_.bind(id, derivative(node.symbol, node.order));
    }
  }

  void add_equations() {
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      const auto variable = static_cast<std::int32_t>(i);
      for (int order = 1; order < orders_[i]; ++order) {
        const NodeId lower = order == 1 ? pool_->variable(variable, 1)
                                        : pool_->variable(first_new_[i] + order - 2, 1);
        data_.equations.push_back(
            {lower, derivative(variable, order),
             "definition of " + derivative_name(data_.variables[i].name, order),
             data_.variables[i].where});
      }
    }
  }

  void take_start_values() {
    LeafWalker walker(*pool_);
    const auto n_given = static_cast<std::int32_t>(orders_.size());
    std::erase_if(data_.initial_equations, [&](const Equation& equation) {
      for (const auto& [side, value] :
           {std::pair(equation.lhs, equation.rhs), std::pair(equation.rhs, equation.lhs)}) {
        const Node& node = (*pool_)[side];
        if (node.op != Op::variable || node.order != 0 || node.symbol < n_given) continue;
        const auto leaves = walker.leaves(value);
        const bool is_parametric = std::all_of(leaves.begin(), leaves.end(), [this](NodeId leaf) {
          return (*pool_)[leaf].op == Op::parameter;
        });
        Variable& unknown = data_.variables[node.symbol];
        if (!is_parametric || unknown.fixed) continue;
        unknown.start = value;
        unknown.fixed = true;
        return true;
      }
      return false;
    });
  }

  Model::Data data_;
  std::vector<int> orders_;
  std::vector<std::int32_t> first_new_;
  std::shared_ptr<const Pool> source_;
  std::shared_ptr<Pool> pool_;
  Rewriter rewriter_;
};

}  // namespace

std::vector<int> derivative_orders(const Model& model) {
  std::vector<NodeId> roots;
  for (const Equation& equation : model.equations()) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  std::vector<int> orders(model.variables().size(), 0);
  LeafWalker walker(*model.pool());
  for (const NodeId leaf : walker.leaves(roots)) {
    const Node& node = (*model.pool())[leaf];
    if (node.op == Op::variable) {
      orders[node.symbol] = std::max(orders[node.symbol], node.order);
    }
  }
  return orders;
}

Model reduce_order(const Model& model) {
  std::vector<int> orders = derivative_orders(model);
  const bool is_first_order =
      std::all_of(orders.begin(), orders.end(), [](int order) { return order < 2; });
  return is_first_order ? model : OrderReduction(model, std::move(orders)).reduce();
}

}  // namespace daedal
