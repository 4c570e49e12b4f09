// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The declared components of the model: variables, parameters and constants, arrays split into
/// scalars, records into fields. A component is made when it is first needed, because sizes may
/// depend on parameters declared further down.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/attributes.hpp"
#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/scattered_names.hpp"
#include "modelica/syntax/name_pattern.hpp"

namespace daedal::modelica {

class Components {
 public:
  struct Uses {
    const ClassTable& classes;
    Scope& scope;
    Structure& structure;
    Expressions& expressions;
    Discretes& discretes;
    Equations& equations;
  };
  Components(Context& context, const Uses& use)
      : context_(context),
        use_(use),
        attributes_(context, use.structure, use.expressions),
        scattered_([this](const std::string& name) { return find(name); }) {}

  /// Files the declarations; reports names declared twice. `assigned_in_when`: the names of
  /// variables that are discrete whatever their type.
  void collect(const ClassDefinition& model, AssignedNames assigned_in_when);
  /// Makes every component, then gives parameters their values and variables their equations.
  void make_all();

  /// The value of a declared name, or null. Makes the component if need be.
  const Value* find(const std::string& name);
  /// The same for a name that is not declared itself but stands for declared scalars, too.
  const Value* lookup(const std::string& name);

  /// The expression that a declaration binds its name to, or none.
  [[nodiscard]] ExprId binding_of(const std::string& name) const;
  /// The value given to a parameter, or no_node. Evaluates its binding if need be.
  NodeId parameter_value(NodeId parameter);
  /// Makes an initial equation parameter = value the definition of a parameter that is to be found
  /// (fixed = false). False: it is no such parameter, or the value depends on more than others.
  bool define_free(NodeId parameter, NodeId value);
  /// Is it a constant of a package, which functions see as well?
  [[nodiscard]] bool is_global(const std::string& name) const;
  /// Does a declared name begin so?
  [[nodiscard]] bool has_prefix(const std::string& prefix) const {
    return scattered_.has_prefix(prefix);
  }
  /// The values of all declared names that begin so.
  std::vector<const Value*> all_with_prefix(const std::string& prefix);
  /// Names of the components, in the order of the declarations.
  [[nodiscard]] std::vector<std::string> names() const;

  /// A parameter whose value calls a function that the text does not define.
  struct UndefinedParameter {
    std::vector<NodeId> leaves{};
    std::string name{};
    Position where{};
    Position call{};
    std::string message{};
  };
  [[nodiscard]] const std::vector<UndefinedParameter>& undefined() const { return undefined_; }
  /// The name and the values of every declared parameter.
  struct ParameterUse {
    std::string name{};
    Position where{};
    std::vector<NodeId> leaves{};
    std::vector<NodeId> values{};  ///< of those leaves that have one
  };
  [[nodiscard]] std::vector<ParameterUse> parameter_uses() const;
  /// The start values of continuous variables, by component.
  struct StartUse {
    std::string name{};
    Position where{};
    NodeId value = no_node;
    bool is_fixed = false;
  };
  [[nodiscard]] const std::vector<StartUse>& start_uses() const { return start_uses_; }

  /// The start value of a continuous variable, or no_node.
  [[nodiscard]] NodeId start_of(NodeId variable) const {
    const auto found = starts_.find(variable);
    return found == starts_.end() ? no_node : found->second;
  }
  [[nodiscard]] std::size_t n_variables() const { return variable_names_.size(); }
  /// The names of the declared variables with their scalars.
  [[nodiscard]] std::vector<std::pair<std::string, std::vector<NodeId>>> variable_uses() const;
  /// Is it a continuous variable that is given from outside?
  [[nodiscard]] bool is_input(NodeId variable) const { return inputs_.contains(variable); }
  /// A continuous variable that no text declares.
  NodeId add_variable(const std::string& name, const VariableOptions& options = {});
  /// The name of a continuous variable.
  [[nodiscard]] const std::string& variable_name(SymbolId symbol) const {
    return variable_names_[static_cast<std::size_t>(symbol)];
  }

 private:
  enum class State { declared, being_made, made, failed };
  /// target = expression, of the component itself or of one of its fields.
  struct Binding {
    Value target;
    ExprId expression = none;
    Position where;
    std::string name;
  };
  struct Component {
    const Declaration* declaration;
    bool is_global = false;  ///< a constant of a package: inlined, no part of the model
    State state = State::declared;
    bool is_bound = false;
    Value value{};
    std::vector<Binding> bindings{};
  };
  /// What is known of a parameter leaf.
  struct ParameterPlace {
    std::size_t component = 0;
    NodeId value = no_node;
    bool is_free = false;   ///< fixed = false: found by the initial equations
    bool is_given = false;  ///< by ParseOptions: the text's own value does not count
  };

  void file(const Declaration& declaration, bool is_global);
  void make(std::size_t index);
  void make_now(Component& component);
  Shape shape_of(const Declaration& declaration, const ResolvedType& type, ExprId binding);
  Value make_constant(const ComponentSpec& spec, bool is_global);
  void bind(std::size_t index);
  void bind_parameter(const Binding& binding);
  void bind_parameter_now(const Binding& binding);
  void set_parameters(const Value& target, const Value& value);

  Value create(const ComponentSpec& spec);
  Value create_record(const ComponentSpec& spec);
  Value create_fields(const ComponentSpec& spec, const std::string& name);
  NodeId create_variable(const ComponentSpec& spec, const std::string& name, std::size_t i);
  NodeId create_parameter(const ComponentSpec& spec, const std::string& name, std::size_t i);
  /// The value that ParseOptions give a parameter, or no_node.
  [[nodiscard]] NodeId given_value(const ComponentSpec& spec, const std::string& name) const;
  [[nodiscard]] bool is_discrete(const ComponentSpec& spec) const;
  [[nodiscard]] std::string description_of(const ComponentSpec& spec) const;

  Context& context_;
  Uses use_;
  Attributes attributes_;
  ScatteredNames scattered_;
  AssignedNames assigned_in_when_;
  std::vector<Component> components_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<NodeId, ParameterPlace> parameters_;
  std::unordered_map<NodeId, NodeId> starts_;  ///< of continuous variables that have one
  std::vector<StartUse> start_uses_;
  std::unordered_set<NodeId> inputs_;
  std::vector<std::string> variable_names_;  ///< continuous ones, by symbol
  std::vector<UndefinedParameter> undefined_;
  std::size_t making_ = 0;  ///< the component that is being made
};

}  // namespace daedal::modelica
