// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/boundary_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <utility>

#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/map_expressions.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"

namespace daedal::solve_detail {

namespace {

void refuse_events(const Model& model) {
  if (!model.discretes().empty()) {
    const Variable& first = model.discretes().front();
    throw ModelError(
        ErrorCode::unsupported,
        fmt::format("The discrete variable {} has no place in a boundary value problem: "
                    "nothing says in which order events happen.",
                    variable_label(first)),
        first.where);
  }
  if (!model.when_clauses().empty()) {
    throw ModelError(
        ErrorCode::unsupported,
        "A when-clause has no place in a boundary value problem: nothing says in which "
        "order events happen.",
        model.when_clauses().front().where);
  }
}

/// Free parameters become states; the others keep their order.
class FreeParameters {
 public:
  explicit FreeParameters(const Model& model)
      : data_(copy_of(model)),
        source_(model.pool()),
        pool_(std::make_shared<Pool>()),
        rewriter_(*source_, *pool_) {}

  Model convert() {
    add_states();
    for (NodeId id = 0; id < source_->size(); ++id) {
      const Node& node = (*source_)[id];
      if (node.op == Op::parameter) rewriter_.bind(id, leaf_[to_size(node.symbol)]);
    }
    const auto rewrite = [this](NodeId& id) { id = rewriter_.rewrite(id); };
    for_each_parameter_expression(data_, rewrite);
    for_each_dynamic_expression(data_, rewrite);
    add_equations();
    check_values();
    pool_->freeze();
    data_.pool = pool_;
    return Model(std::make_shared<const Model::Data>(std::move(data_)));
  }

 private:
  void add_states() {
    std::vector<Parameter> kept;
    first_state_ = data_.variables.size();
    for (Parameter& parameter : data_.parameters) {
      if (parameter.fixed) {
        leaf_.push_back(pool_->parameter(static_cast<SymbolId>(kept.size())));
        kept.push_back(std::move(parameter));
        continue;
      }
      leaf_.push_back(pool_->variable(static_cast<SymbolId>(data_.variables.size())));
      data_.variables.push_back({.name = parameter.name,
                                 .start = parameter.value,
                                 .unit = parameter.unit,
                                 .description = parameter.description,
                                 .where = parameter.where});
    }
    data_.parameters = std::move(kept);
  }

  void add_equations() {
    for (std::size_t i = first_state_; i < data_.variables.size(); ++i) {
      data_.equations.push_back({pool_->variable(static_cast<SymbolId>(i), 1), pool_->constant(0.0),
                                 fmt::format("'{}' is constant", data_.variables[i].name),
                                 data_.variables[i].where});
    }
  }

  /// Values and start values must not follow from what is to be found.
  void check_values() {
    LeafWalker walker(*pool_);
    for_each_parameter_expression(data_, [&](NodeId id) {
      if (id == no_node) return;
      for (const NodeId leaf : walker.leaves(id)) {
        const Node& node = (*pool_)[leaf];
        if (node.op != Op::variable) continue;
        throw ModelError(ErrorCode::unsupported,
                         fmt::format("A parameter or start value follows from '{}', which is to be "
                                     "found: write an equation instead.",
                                     data_.variables[to_size(node.symbol)].name));
      }
    });
  }

  Model::Data data_;
  std::shared_ptr<const Pool> source_;
  std::shared_ptr<Pool> pool_;
  Rewriter rewriter_;
  std::vector<NodeId> leaf_;  ///< of each parameter
  std::size_t first_state_ = 0;
};

Model with_immediate_relations(const Model& model) {
  if (model.pool()->n_relations() == 0) return model;
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for_each_dynamic_expression(*data, [&](NodeId& id) {
    if (id != no_node) id = pool->no_event(id);
  });
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

}  // namespace

Model as_boundary_model(const Model& model) {
  refuse_events(model);
  const bool has_free = std::ranges::any_of(
      model.parameters(), [](const Parameter& parameter) { return !parameter.fixed; });
  return with_immediate_relations(has_free ? FreeParameters(model).convert() : model);
}

}  // namespace daedal::solve_detail
