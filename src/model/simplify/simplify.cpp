// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/simplify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/nearest_name.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "expr/traverse.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/map_expressions.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"
#include "model/simplify/elimination.hpp"
#include "model/simplify/semi_linear.hpp"
#include "model/simplify/velocities.hpp"

namespace daedal {

namespace {

// Start values of variables that turn out to be one: fixed values win over guesses, and must agree
// with each other.

/// The declaration of one member of an alias class, in the pool of the simplified model.
struct AliasDeclaration {
  const Variable* variable = nullptr;
  NodeId start = no_node;  ///< of the member itself
  int sign = 1;            ///< member = sign · representative
};

/// Two fixed start values agree if they differ by no more than rounding errors of expressions.
constexpr double same_start = 1e-10;

enum class Agreement { yes, no, unknown };

Agreement agree(const Pool& pool, NodeId a, NodeId b) {
  if (a == b) return Agreement::yes;
  if (pool[a].op != Op::constant || pool[b].op != Op::constant) return Agreement::unknown;
  const double x = pool[a].value;
  const double y = pool[b].value;
  return std::abs(x - y) <= same_start * std::max(std::abs(x), std::abs(y)) ? Agreement::yes
                                                                            : Agreement::no;
}

NodeId signed_node(Pool& pool, NodeId node, int sign) {
  return sign > 0 || node == no_node ? node : pool.neg(node);
}

double number_of(const Pool& pool, const AliasDeclaration& member) {
  return member.start == no_node ? 0.0 : pool[member.start].value;
}

[[noreturn]] void fail_contradiction(const Pool& pool, const AliasDeclaration& a,
                                     const AliasDeclaration& b) {
  ModelError error(
      ErrorCode::invalid_value,
      fmt::format("The fixed start values {} = {} and {} = {} contradict each other: the equations "
                  "of the model make '{}' and '{}{}' the same variable. Fix only one of them.",
                  variable_label(*a.variable), number_of(pool, a), variable_label(*b.variable),
                  number_of(pool, b), a.variable->name, a.sign == b.sign ? "" : "-",
                  b.variable->name),
      b.variable->where);
  error.with_variables({a.variable->name, b.variable->name});
  throw error;
}

NodeId start_or_zero(Pool& pool, const AliasDeclaration& member) {
  return member.start == no_node ? pool.constant(0.0) : member.start;
}

Equation fixed_start_equation(const Variable& variable, NodeId lhs, NodeId rhs) {
  return {lhs, rhs, fmt::format("fixed start of {}", variable.name), variable.where};
}

void narrow_bounds(Variable& merged, const AliasDeclaration& member) {
  const Variable& other = *member.variable;
  const double low = member.sign > 0 ? other.min : -other.max;
  const double high = member.sign > 0 ? other.max : -other.min;
  if (std::max(merged.min, low) > std::min(merged.max, high)) return;
  merged.min = std::max(merged.min, low);
  merged.max = std::min(merged.max, high);
}

/// What the members say about the representative: start, fixed, nominal, bounds, choice. `members`
/// holds the representative first. Fixed starts that differ by an expression of parameters, which
/// only a run can compare, go to `initial_equations`.
Variable merge_declarations(Pool& pool, std::span<const AliasDeclaration> members,
                            NodeId representative, std::vector<Equation>& initial_equations) {
  Variable merged = *members.front().variable;
  merged.start = members.front().start;
  const AliasDeclaration* fixed = nullptr;
  for (const AliasDeclaration& member : members) {
    const NodeId start = signed_node(pool, member.start, member.sign);
    if (merged.nominal == 1.0) merged.nominal = member.variable->nominal;
    narrow_bounds(merged, member);
    // No member asks for this state, and one asks for another.
    if (merged.state_select == StateSelect::standard &&
        member.variable->state_select < StateSelect::standard) {
      merged.state_select = StateSelect::avoid;
    }
    if (!member.variable->fixed) {
      if (merged.start == no_node) merged.start = start;
      continue;
    }
    const NodeId wish = signed_node(pool, start_or_zero(pool, member), member.sign);
    if (fixed == nullptr) {
      fixed = &member;
      merged.fixed = true;
      merged.start = wish;
      continue;
    }
    const Agreement agreement = agree(pool, merged.start, wish);
    if (agreement == Agreement::no) fail_contradiction(pool, *fixed, member);
    if (agreement == Agreement::unknown) {
      initial_equations.push_back(fixed_start_equation(*member.variable, representative, wish));
    }
  }
  return merged;
}

/// A class that an equation makes constant: a fixed start must agree with the constant.
void check_constant_start(Pool& pool, const AliasDeclaration& member, NodeId constant,
                          std::vector<Equation>& initial_equations) {
  if (!member.variable->fixed) return;
  const NodeId wish = start_or_zero(pool, member);
  const NodeId value = signed_node(pool, constant, member.sign);
  const Agreement agreement = agree(pool, value, wish);
  if (agreement == Agreement::unknown) {
    initial_equations.push_back(fixed_start_equation(*member.variable, value, wish));
  }
  if (agreement != Agreement::no) return;
  ModelError error(
      ErrorCode::invalid_value,
      fmt::format("The fixed start value {} = {} contradicts the equations of the model, which "
                  "make it {} at all times.",
                  variable_label(*member.variable), pool[wish].value, pool[value].value),
      member.variable->where);
  error.with_variables({member.variable->name});
  throw error;
}

[[noreturn]] void fail_start(const Model& model, const std::string& name, double value) {
  if (!std::isfinite(value)) {
    throw ModelError(ErrorCode::invalid_value,
                     fmt::format("The start value given for '{}' is not a finite number.", name));
  }
  std::vector<std::string> candidates;
  for (const Variable& variable : model.variables()) candidates.push_back(variable.name);
  for (const Variable& variable : model.discretes()) candidates.push_back(variable.name);
  const std::string nearest = nearest_name(name, candidates);
  throw ModelError(ErrorCode::unknown_name,
                   fmt::format("Model '{}' has no variable '{}'.{}", model.name(), name,
                               nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
}

/// The model with start values of this run, fixed.
Model with_starts(const Model& model, const Overrides& starts) {
  if (starts.empty()) return model;
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (const auto& [name, value] : starts) {
    const auto found = find_symbol(*data, name);
    const bool is_variable = found && found->kind != Op::parameter;
    if (!is_variable || !std::isfinite(value)) fail_start(model, name, value);
    auto& list = found->kind == Op::variable ? data->variables : data->discretes;
    Variable& variable = list[found->id];
    variable.start = pool->constant(value);
    variable.fixed = true;
  }
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

/// Writes what is left of the model into a pool of its own.
class Assembler {
 public:
  Assembler(const Model& model, const SimplifyOptions& options)
      : model_(model),
        options_(options),
        elimination_(model, options.remove_outputs),
        velocities_(scaled_velocities(model, elimination_)),
        number_(model.variables().size(), -1),
        factor_(model.variables().size(), 1.0),
        value_(model.variables().size(), no_node),
        pool_(std::make_shared<Pool>()),
        rewriter_(prepared_source(), *pool_),
        data_(copy_of(model)) {
    bind_leaves();
  }

  Simplified assemble() {
    drop_equations();
    take_expressions();
    write_velocities();
    join_semi_linear(*pool_, data_.equations);
    merge_variables();
    renumber_reinit_targets();
    const std::vector<NodeId> originals = original_variables();
    pool_->freeze();
    data_.pool = pool_;
    data_.inputs.clear();  // they count variables and equations of the original
    Simplified result{.model = {}, .recovery = Recovery(names(), *pool_, originals)};
    count(result);
    result.model = Model(std::make_shared<const Model::Data>(std::move(data_)));
    return result;
  }

 private:
  using Fate = Elimination::Fate;

  /// The pool with the definitions, once every node that will be asked for is in it.
  const Pool& prepared_source() {
    Pool& pool = elimination_.pool();
    std::int32_t next = 0;
    for (std::size_t i = 0; i < number_.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      pool.variable(id);
      const auto [root, sign] = elimination_.classes().find(id);
      if (elimination_.fate(root) == Fate::kept) {
        if (root == id) number_[i] = next++;
      } else {
        const NodeId definition = elimination_.definition(root);
        value_[i] = sign > 0 ? definition : pool.neg(definition);
      }
    }
    for (std::size_t i = 0; i < model_.discretes().size(); ++i) {
      pool.discrete(static_cast<SymbolId>(i));
    }
    write_out_bases(pool);
    return pool;
  }

  /// Where v = |e| is an equation, v may still be negative in the tries of an iteration, for which
  /// its roots and powers have no value: these are written with |e|.
  void write_out_bases(Pool& pool) {
    const NodeId n_nodes = pool.size();
    const auto needs_base = [&](NodeId id) {
      return pool[id].op == Op::sqrt || pool[id].op == Op::pow;
    };
    std::unordered_map<NodeId, NodeId> magnitudes;
    const std::vector<bool> is_magnitude = never_negative(pool);
    const auto take = [&](NodeId leaf, NodeId value) {
      if (pool[leaf].op != Op::variable || pool[leaf].order != 0 || !is_magnitude[value]) return;
      const auto [root, sign] = elimination_.classes().find(pool[leaf].symbol);
      if (elimination_.fate(root) != Fate::kept) return;
      for (const std::int32_t member : elimination_.classes().members(root))
        if (elimination_.classes().find(member).sign == sign)
          magnitudes.emplace(pool.variable(member), value);
    };
    for (std::size_t e = 0; e < model_.equations().size(); ++e) {
      if (elimination_.is_removed(e)) continue;
      take(model_.equations()[e].lhs, model_.equations()[e].rhs);
      take(model_.equations()[e].rhs, model_.equations()[e].lhs);
    }
    // What depends on magnitudes, and on roots and powers of such: these may hold themselves.
    std::vector<bool> depends(to_size(n_nodes)), is_open(to_size(n_nodes));
    for (NodeId id = 0; !magnitudes.empty() && id < n_nodes; ++id) {
      depends[id] = magnitudes.contains(id);
      for (const NodeId argument : arguments(pool[id])) {
        if (argument == no_node) continue;
        depends[id] = depends[id] || depends[argument];
        is_open[id] = is_open[id] || is_open[argument];
      }
      is_open[id] = is_open[id] || (needs_base(id) && depends[pool[id].a]);
    }
    std::vector<NodeId> from, to;
    for (const auto& [leaf, value] : magnitudes) {
      if (is_open[value]) continue;
      from.push_back(leaf);
      to.push_back(value);
    }
    for (NodeId id = 0; !from.empty() && id < n_nodes; ++id) {
      if (!needs_base(id) || !depends[pool[id].a]) continue;
      Node node = pool[id];
      node.a = substitute(pool, std::span(&node.a, 1), from, to).front();
      written_out_.emplace_back(id, build(pool, node));
    }
  }

  /// By node: whether its value is never negative, whatever the variables.
  static std::vector<bool> never_negative(const Pool& pool) {
    std::vector<bool> result(to_size(pool.size()));
    for (NodeId id = 0; id < pool.size(); ++id) {
      const Node& node = pool[id];
      const auto is = [&](NodeId argument) { return result[to_size(argument)]; };
      switch (node.op) {
        case Op::constant:
          result[id] = node.value >= 0.0;
          break;
        case Op::add:
        case Op::mul:
        case Op::div:
        case Op::min:
          result[id] = is(node.a) && is(node.b);
          break;
        case Op::max:
          result[id] = is(node.a) || is(node.b);
          break;
        case Op::if_else:
          result[id] = is(node.b) && is(node.c);
          break;
        case Op::smooth:
          result[id] = is(node.a);
          break;
        default:
          result[id] = (traits_of(node.op) & traits::nonnegative) != 0 ||
                       (node.op == Op::pow_int && (node.order % 2 == 0 || is(node.a)));
      }
    }
    return result;
  }

  void bind_leaves() {
    for (const ScaledVelocity& of : velocities_) factor_[to_size(of.velocity)] = of.factor;
    const Pool& source = elimination_.pool();
    for (const auto& [id, written] : written_out_) rewriter_.define(id, written);
    for (NodeId id = 0; id < source.size(); ++id) {
      const Node& node = source[id];
      if (node.op == Op::variable || node.op == Op::pre_variable || node.op == Op::final_variable) {
        bind_variable(id, node);
      }
      if (node.op == Op::parameter) bind_parameter(id, to_size(node.symbol));
    }
  }

  void bind_variable(NodeId leaf, const Node& node) {
    const auto [root, sign] = elimination_.classes().find(node.symbol);
    if (elimination_.fate(root) == Fate::kept) {
      const std::int32_t number = number_[root];
      const NodeId kept = node.op == Op::pre_variable     ? pool_->pre_variable(number)
                          : node.op == Op::final_variable ? pool_->final_variable(number)
                                                          : pool_->variable(number, node.order);
      const NodeId value = in_own_unit(kept, root);
      rewriter_.bind(leaf, sign > 0 ? value : pool_->neg(value));
    } else if (node.order > 0) {
      rewriter_.bind(leaf, pool_->constant(0.0));  // outputs are never differentiated
    } else {
      rewriter_.define(leaf, value_[node.symbol]);
    }
  }

  /// A representative of the original, from what is kept of it.
  NodeId in_own_unit(NodeId kept, std::int32_t representative) {
    const double factor = factor_[to_size(representative)];
    return factor == 1.0 ? kept : pool_->div(kept, pool_->constant(factor));
  }

  void bind_parameter(NodeId leaf, std::size_t symbol) {
    const Parameter& parameter = model_.parameters()[symbol];
    if (parameter.constant && parameter.value != no_node) rewriter_.define(leaf, parameter.value);
  }

  NodeId rewrite(NodeId root) {
    const NodeId result = rewriter_.rewrite(root);
    if (root != no_node && result == no_node) (void)model_.parameter_values();  // names the circle
    return result;
  }

  void take_expressions() {
    const auto rewrite_in_place = [this](NodeId& id) { id = rewrite(id); };
    for_each_parameter_expression(data_, rewrite_in_place);
    for_each_dynamic_expression(data_, rewrite_in_place);
  }

  void drop_equations() {
    std::vector<Equation> kept;
    for (std::size_t e = 0; e < data_.equations.size(); ++e) {
      if (elimination_.is_removed(e)) continue;
      Equation& equation = kept.emplace_back(std::move(data_.equations[e]));
      // Messages name it by its number in the original model.
      if (equation.name.empty()) equation.name = fmt::format("equation {}", e + 1);
    }
    data_.equations = std::move(kept);
  }

  /// der(position) = velocity, to the last bit.
  void write_velocities() {
    if (velocities_.empty()) return;
    std::vector<std::size_t> number_of;
    std::size_t n_kept = 0;
    for (std::size_t e = 0; e < model_.equations().size(); ++e)
      number_of.push_back(elimination_.is_removed(e) ? n_kept : n_kept++);
    for (const ScaledVelocity& of : velocities_) {
      Equation& equation = data_.equations[number_of[of.equation]];
      equation.lhs = pool_->variable(number_[to_size(of.position)], 1);
      equation.rhs = pool_->variable(number_[to_size(of.velocity)]);
    }
  }

  /// The declaration of factor · variable.
  void scale_declaration(Variable& variable, double factor) {
    if (variable.start != no_node)
      variable.start = pool_->mul(pool_->constant(factor), variable.start);
    variable.nominal *= std::abs(factor);
    variable.min *= factor;
    variable.max *= factor;
    if (factor < 0.0) std::swap(variable.min, variable.max);
  }

  [[nodiscard]] std::vector<AliasDeclaration> declarations(std::int32_t representative) {
    const auto declaration = [this](std::int32_t variable) {
      const Variable& declared = data_.variables[variable];
      return AliasDeclaration{&declared, declared.start,
                              elimination_.classes().find(variable).sign};
    };
    std::vector<AliasDeclaration> members{declaration(representative)};
    for (const std::int32_t member : elimination_.classes().members(representative)) {
      if (member != representative) members.push_back(declaration(member));
    }
    return members;
  }

  /// A fixed start value that depends on parameters found at the start (fixed = false) is found
  /// with them.
  void release_open_start(Variable& variable, NodeId leaf) {
    if (!variable.fixed || variable.start == no_node ||
        (*pool_)[variable.start].op == Op::constant ||
        std::ranges::all_of(data_.parameters, &Parameter::fixed)) {
      return;
    }
    LeafWalker walker(*pool_);
    const bool is_open = std::ranges::any_of(walker.leaves(variable.start), [&](NodeId start_leaf) {
      const Node& node = (*pool_)[start_leaf];
      return node.op == Op::parameter && !data_.parameters[to_size(node.symbol)].fixed;
    });
    if (!is_open) return;
    data_.initial_equations.push_back(fixed_start_equation(variable, leaf, variable.start));
    variable.fixed = false;
  }

  void merge_variables() {
    std::vector<Variable> kept;
    for (std::size_t i = 0; i < number_.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      if (elimination_.classes().find(id).representative != id) continue;
      if (elimination_.fate(id) == Fate::kept) {
        const NodeId leaf = pool_->variable(number_[i]);
        kept.push_back(merge_declarations(*pool_, declarations(id), in_own_unit(leaf, id),
                                          data_.initial_equations));
        scale_declaration(kept.back(), factor_[id]);
        release_open_start(kept.back(), leaf);
      } else if (elimination_.fate(id) == Fate::constant) {
        const NodeId constant = rewrite(elimination_.definition(id));
        for (const AliasDeclaration& member : declarations(id)) {
          check_constant_start(*pool_, member, constant, data_.initial_equations);
        }
      }
    }
    data_.variables = std::move(kept);
  }

  void renumber_reinit_targets() {
    for (WhenClause& clause : data_.when_clauses) {
      for (WhenBranch& branch : clause.branches) {
        for (WhenAction& action : branch.actions) {
          if (action.kind != WhenAction::Kind::reinit) continue;
          const auto [root, sign] = elimination_.classes().find(action.target);
          action.target = number_[root];
          if (sign < 0) action.value = pool_->neg(action.value);
          const double factor = factor_[to_size(root)];
          if (factor != 1.0) action.value = pool_->mul(pool_->constant(factor), action.value);
        }
      }
    }
  }

  std::vector<NodeId> original_variables() {
    std::vector<NodeId> values;
    Pool& source = elimination_.pool();
    for (std::size_t i = 0; i < number_.size(); ++i) {
      values.push_back(rewrite(source.variable(static_cast<SymbolId>(i))));
    }
    for (std::size_t i = 0; i < model_.discretes().size(); ++i) {
      if (is_hidden(model_.discretes()[i])) continue;
      values.push_back(rewrite(source.discrete(static_cast<SymbolId>(i))));
    }
    // Constants may hold relations between parameters: a recovery computes them afresh.
    return daedal::rewrite(*pool_, values, [this](NodeId id, const Node& node) {
      return is_relation(node.op) ? pool_->immediate_relation(node.op, node.a, node.b)
                                  : rebuild(*pool_, id, node);
    });
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const Variable& variable : model_.variables()) list.push_back(variable.name);
    for (const Variable& variable : model_.discretes())
      if (!is_hidden(variable)) list.push_back(variable.name);
    return list;
  }

  /// Whether a variable is memory that no text declares (of floor, of lists of conditions).
  static bool is_hidden(const Variable& discrete) { return discrete.name.starts_with('$'); }

  void count(Simplified& result) {
    for (std::size_t i = 0; i < number_.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      const std::int32_t root = elimination_.classes().find(id).representative;
      if (root != id) {
        ++result.n_aliases;
      } else if (elimination_.fate(id) == Fate::constant) {
        ++result.n_constants;
      } else if (elimination_.fate(id) == Fate::output) {
        ++result.n_outputs;
      }
    }
  }

  const Model& model_;
  const SimplifyOptions& options_;
  Elimination elimination_;
  std::vector<ScaledVelocity> velocities_;
  std::vector<std::int32_t> number_;  ///< in the simplified model, by original; -1: not kept
  std::vector<double> factor_;        ///< kept variable = factor · representative
  std::vector<NodeId> value_;         ///< of eliminated variables
  std::vector<std::pair<NodeId, NodeId>> written_out_;  ///< roots and powers, by magnitudes
  std::shared_ptr<Pool> pool_;
  Rewriter rewriter_;
  Model::Data data_;
};

}  // namespace

Simplified simplify(const Model& model, const SimplifyOptions& options) {
  const Model started = with_starts(model, options.starts);
  return Assembler(started, options).assemble();
}

}  // namespace daedal
