// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The declared components of the model: variables, parameters and constants, arrays split into
/// scalars, records into fields. A component is made when it is first needed, because sizes may
/// depend on parameters declared further down.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Elaborator;

/// How one component, or one field of a record component, is to be made.
struct ComponentSpec {
  const Declaration* declaration = nullptr;
  std::string name{};
  ResolvedType type{};
  Shape shape{};
  Variability variability = Variability::continuous;
  bool is_final = false;
  /// Modifier lists that apply, the strongest first.
  std::vector<const std::vector<Modifier>*> modifiers{};
};

class Components {
 public:
  explicit Components(Elaborator& hub) : hub_(hub) {}

  /// Files the declarations; reports names declared twice.
  void collect(const ClassDefinition& model);
  /// Makes every component, then gives parameters their values and variables their equations.
  void make_all();

  /// The value of a declared name, or null. Makes the component if need be.
  const Value* find(const std::string& name);
  /// A whole array or group of which only scalars are declared: 'a.r' from 'a.r[1]', ...; the
  /// element 'a[2]' of a declared array 'a'. Null if there is nothing of the kind.
  const Value* gather(const std::string& name);
  /// The value of record type `definition` from scattered fields named `prefix.field`.
  Value gather_record(const std::string& prefix, ClassId definition, Position where);

  /// The expression that a declaration binds its name to, or none.
  [[nodiscard]] ExprId binding_of(const std::string& name) const;
  /// The value given to a parameter, or no_node. Evaluates its binding if need be.
  NodeId parameter_value(NodeId parameter);
  /// Is it a constant of a package, which functions see as well?
  [[nodiscard]] bool is_global(const std::string& name) const;
  /// Does a declared name begin so?
  [[nodiscard]] bool has_prefix(const std::string& prefix) const;
  /// Names of the components, for suggestions.
  [[nodiscard]] std::vector<std::string> names() const;
  /// A new discrete variable that no text declares, for parts of the language that need memory.
  NodeId add_hidden_discrete(std::string_view purpose, Type type, double start, Position where);

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

  struct DiscreteDeclaration {
    std::string name{};  ///< empty for those that no text declares
    Position where{};
  };
  /// The discrete variables, by symbol.
  [[nodiscard]] const std::vector<DiscreteDeclaration>& discretes() const { return discretes_; }
  /// The start value of a continuous variable, or no_node.
  [[nodiscard]] NodeId start_of(NodeId variable) const {
    const auto found = starts_.find(variable);
    return found == starts_.end() ? no_node : found->second;
  }
  /// The name of a continuous variable.
  [[nodiscard]] const std::string& variable_name(SymbolId symbol) const {
    return variable_names_[static_cast<std::size_t>(symbol)];
  }

  /// Declarations to leave out because nothing needs them.
  std::unordered_set<std::string> skipped;
  /// Components whose start values, guesses all, are left out.
  std::unordered_set<std::string> skipped_starts;
  /// The names of variables assigned in when-clauses: they are discrete whatever their type.
  std::unordered_set<std::string> assigned_in_when;

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

  void file(const Declaration& declaration, bool is_global);
  void file_scattered(const std::string& name);
  void make(std::int32_t index);
  void make_now(Component& component);
  Shape shape_of(const Declaration& declaration, const ResolvedType& type, ExprId binding);
  Value make_constant(const ComponentSpec& spec, bool is_global);
  void bind(std::int32_t index);
  void bind_parameter(const Binding& binding);
  void bind_parameter_now(const Binding& binding);
  void set_parameters(const Value& target, const Value& value);

  Value create(const ComponentSpec& spec);
  Value create_record(const ComponentSpec& spec);
  Value create_fields(const ComponentSpec& spec, const std::string& name);
  NodeId create_variable(const ComponentSpec& spec, const std::string& name, std::int64_t i);
  NodeId create_parameter(const ComponentSpec& spec, const std::string& name, std::int64_t i);
  [[nodiscard]] bool is_discrete(const ComponentSpec& spec) const;

  // attributes (component_attributes.cpp)
  void check_attributes(const ComponentSpec& spec);
  const Modifier* attribute(const ComponentSpec& spec, std::string_view name) const;
  Value attribute_value(const ComponentSpec& spec, const Modifier& modifier, std::int64_t i);
  void read_number(const ComponentSpec& spec, std::string_view name, std::int64_t i,
                   double& target);
  void read_text(const ComponentSpec& spec, std::string_view name, std::int64_t i,
                 std::string& target);
  bool read_fixed(const ComponentSpec& spec, std::int64_t i, bool otherwise);
  std::optional<Expr> read_start(const ComponentSpec& spec, std::int64_t i);
  std::optional<Expr> read_guess(const ComponentSpec& spec, std::int64_t i);
  StateSelect read_state_select(const ComponentSpec& spec, std::int64_t i);

  Elaborator& hub_;
  std::vector<Component> components_;
  std::unordered_map<std::string, std::int32_t> index_;
  /// Which component each parameter leaf belongs to, and its place there.
  struct ParameterPlace {
    std::int32_t component = -1;
    NodeId value = no_node;
    bool is_free = false;  ///< fixed = false: found by the initial equations
  };
  std::unordered_map<NodeId, ParameterPlace> parameters_;
  /// Scalars declared under names such as 'a.r[1,2]', by the name before the bracket.
  std::unordered_map<std::string, std::vector<std::string>> scattered_;
  std::unordered_map<std::string, Value> gathered_;
  std::unordered_map<const Modifier*, Value> attribute_values_;
  std::unordered_map<NodeId, NodeId> starts_;  ///< of continuous variables that have one
  std::vector<StartUse> start_uses_;
  mutable std::vector<std::string> sorted_names_;  ///< of the index, once they are asked for
  std::vector<std::string> variable_names_;        ///< continuous ones, by symbol
  std::vector<DiscreteDeclaration> discretes_;
  std::vector<UndefinedParameter> undefined_;
  std::int32_t making_ = -1;
  int n_hidden_ = 0;
};

}  // namespace daedal::modelica
