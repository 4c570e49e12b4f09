// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/nearest_name.hpp>

#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/roots.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/symbolic_execution.hpp"
#include "modelica/library/fourier.hpp"
#include "modelica/library/random_numbers.hpp"
#include "modelica/library/tables.hpp"

namespace daedal::modelica {

namespace {

constexpr std::string_view root_search = "Math.Nonlinear.solveOneNonlinearEquation";

}  // namespace

Value Functions::call(const ExprNode& node) {
  std::vector<Value> results = call_all(node);
  if (results.empty()) {
    context_.fail(ErrorCode::type_mismatch, node.where,
                  fmt::format("The function '{}' has no result.", context_.ast.text(node.text)));
  }
  return std::move(results.front());
}

std::vector<Value> Functions::call_all(const ExprNode& node) {
  const std::string& name = context_.ast.text(node.text);
  if (name == "noEvent") {
    const Restored immediate(context_.immediate, true);
    if (node.n_children != 1) {
      context_.fail(ErrorCode::type_mismatch, node.where, "'noEvent' takes one argument.");
    }
    return {use_.expressions.evaluate(context_.ast.child(node, 0))};
  }
  FunctionFrame* frame = use_.scope.frame();
  if (name == "pre" && frame != nullptr && frame->sees_model && node.n_children == 1) {
    // The value before the event, whatever the algorithm has assigned since.
    const Restored hidden(frame->assigned, std::unordered_map<NodeId, NodeId>());
    Value argument = use_.expressions.evaluate(context_.ast.child(node, 0));
    return apply_builtin(builtins_, {name, {std::move(argument)}, node.where});
  }
  if (std::optional<Value> value = boundary_value(node)) return {std::move(*value)};
  const Value* local = use_.scope.find(node.text);
  if (local != nullptr && local->type == Type::function) {
    const Value own = *local;  // executing others may move it
    return call_argument(own, evaluate_arguments(node), node.where);
  }
  if (name.ends_with(root_search)) return {root(evaluate_arguments(node), node.where)};
  const ClassId function = use_.classes.find_function(name);
  if (function == none || is_external(function)) {
    const TextId external =
        function == none ? none : context_.ast.definition(function).external_name;
    const std::string other = external == none ? std::string() : context_.ast.text(external);
    if (Tables::has(name, other))
      return {use_.tables.call(name, other, evaluate_arguments(node).positional, node.where)};
    // Without what gives it a state its numbers are unknown.
    const auto has_state = [&] {
      return use_.classes.find_function("Modelica.Math.Random.Utilities.initializeImpureRandom") !=
             none;
    };
    if (RandomNumbers::is_impure(name, other) && has_state()) {
      (void)evaluate_arguments(node);
      return {RandomNumbers(context_, builtins_.structure).draw(builtins_.discretes, node.where)};
    }
    if (RandomNumbers::has(name, other)) {
      const Arguments arguments = evaluate_arguments(node);
      return RandomNumbers(context_, builtins_.structure)
          .call(name, other, arguments.positional, node.where);
    }
    if (is_fourier_transform(name)) {
      auto results = fourier_transform(context_.pool, evaluate_arguments(node).positional);
      if (!results.empty()) {
        context_.stand_ins.emplace(name, node.where);
        return results;
      }
    }
  }
  if (is_external(function)) fail_undefined(name, node.where);
  if (function != none) {
    const bool is_own_call = calls_.empty() || !use_.classes.is_stand_in(calls_.back());
    if (is_own_call && use_.classes.is_stand_in(function))
      context_.stand_ins.emplace(name, node.where);
    return execute_for_each(function, evaluate_arguments(node), node.where);
  }
  const ClassId record = use_.classes.find(ClassKind::record, name);
  if (record != none) return {construct(record, evaluate_arguments(node), node.where)};
  const std::string_view refusal = builtin_refusal(name);
  if (!refusal.empty()) {
    context_.fail(ErrorCode::unsupported, node.where, fmt::format("'{}' {}.", name, refusal));
  }
  if (!is_builtin(name)) fail_undefined(name, node.where);
  Arguments arguments = evaluate_arguments(node);
  const auto formals = formals_of(name);
  while (arguments.positional.size() < formals.size() && !arguments.named.empty()) {
    const auto given = std::ranges::find_if(arguments.named, [&](const auto& argument) {
      return context_.ast.text(argument.first) == formals[arguments.positional.size()];
    });
    if (given == arguments.named.end()) break;
    arguments.positional.push_back(std::move(given->second));
    arguments.named.erase(given);
  }
  const bool is_text = name == "String";  // its named arguments only format
  if (!arguments.named.empty() && !is_text) {
    context_.fail(ErrorCode::type_mismatch, node.where,
                  fmt::format("'{}' has no named arguments.", name));
  }
  return apply_builtin(builtins_, {name, std::move(arguments.positional), node.where});
}

Value Functions::as_argument(const ExprNode& node) {
  const std::string& name = context_.ast.text(node.text);
  const ClassId function = use_.classes.find_function(name);
  if (function == none || is_external(function)) fail_undefined(name, node.where);
  if (use_.classes.is_stand_in(function)) context_.stand_ins.emplace(name, node.where);
  Arguments arguments = evaluate_arguments(node);
  if (!arguments.positional.empty()) {
    context_.fail(ErrorCode::syntax, node.where,
                  "What a function that is given to another one has already is given by name.");
  }
  Value value{.type = Type::function, .definition = function};
  for (auto& [formal, argument] : arguments.named) {
    value.names.push_back(formal);
    value.parts.push_back(std::move(argument));
  }
  return value;
}

std::vector<Value> Functions::call_argument(const Value& function, Arguments arguments,
                                            Position where) {
  for (std::size_t i = 0; i < function.names.size(); ++i)
    arguments.named.emplace(function.names[i], function.parts[i]);
  return execute_for_each(function.definition, arguments, where);
}

Value Functions::root(const Arguments& arguments, Position where) {
  const auto argument = [&](std::size_t i, std::string_view formal) -> const Value& {
    if (i < arguments.positional.size()) return arguments.positional[i];
    const auto named = std::ranges::find_if(
        arguments.named, [&](const auto& n) { return context_.ast.text(n.first) == formal; });
    if (named != arguments.named.end()) return named->second;
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The argument '{}' of '{}' is missing.", formal, root_search));
  };
  const Value& function = argument(0, "f");
  const Value& low = argument(1, "u_min");
  const Value& high = argument(2, "u_max");
  if (function.type != Type::function || !low.is_number() || !high.is_number() ||
      !low.is_scalar() || !high.is_scalar()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' takes a function and two numbers.", root_search));
  }
  std::vector<std::int64_t> key = key_of(function.definition, {{function, low, high}, {}});
  if (const auto known = executed_.find(key); known != executed_.end() && !key.empty())
    return known->second.front();
  Value unknown = Value::scalar(Type::real, use_.roots.add(low.node(), high.node(), where));
  const std::vector<Value> residual = call_argument(function, {{unknown}, {}}, where);
  if (residual.empty() || !residual.front().is_scalar() || !residual.front().is_number()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  "The function whose root is sought must have a number as its result.");
  }
  use_.roots.determine(unknown.node(), residual.front().node(), use_.execution.path());
  if (!key.empty()) executed_.emplace(std::move(key), std::vector<Value>{unknown});
  return unknown;
}

bool Functions::is_external(ClassId function) const {
  return function != none && context_.ast.definition(function).is_external;
}

void Functions::for_each_result(const ExprNode& targets, const ExprNode& source,
                                const char* otherwise,
                                const std::function<void(ExprId, const Value&)>& use) {
  if (source.kind != ExprKind::call)
    context_.fail(ErrorCode::type_mismatch, source.where, otherwise);
  const std::vector<Value> results_of_call = call_all(source);
  auto result = results_of_call.begin();
  for (const ExprId variable : context_.ast.children_of(targets)) {
    if (result == results_of_call.end() && variable != none) {
      context_.fail(ErrorCode::type_mismatch, context_.ast.expr(variable).where,
                    fmt::format("The function has {} results only.", results_of_call.size()));
    }
    if (variable != none) use(variable, *result);
    if (result != results_of_call.end()) ++result;
  }
}

bool Functions::leave_out_effect(const ExprNode& node) {
  const std::string& name = context_.ast.text(node.text);
  const ClassId function = use_.classes.find(ClassKind::function, name);
  const bool is_of_library =
      use_.classes.find_function(name) == none && name.find('.') != std::string::npos;
  const bool leads_outside = function != none && call_count_.leads_outside(function);
  if (!leads_outside && !is_of_library) return false;
  if (name.ends_with("initializeImpureRandom.setInternalState") && node.n_children > 0) {
    context_.impure.start = use_.expressions.evaluate(context_.ast.child(node, 0)).nodes;
    return true;
  }
  context_.diagnostics.warn(
      ErrorCode::unsupported, node.where,
      fmt::format("The call of '{}' is left out: what it does is not part of the model.", name));
  return true;
}

std::optional<Value> Functions::boundary_value(const ExprNode& node) {
  if (node.n_children != 1) return std::nullopt;
  const Ast& ast = context_.ast;
  const ExprNode& instant = ast.expr(ast.child(node, 0));
  if (instant.kind != ExprKind::reference || instant.n_parts != 1) return std::nullopt;
  const RefPart& part = ast.part(instant, 0);
  const std::string& end = ast.text(part.text);
  if (part.quoted || part.n_subscripts > 0 || (end != "startTime" && end != "finalTime")) {
    return std::nullopt;
  }
  const std::string& name = ast.text(node.text);
  const Value* found = use_.components.lookup(name);
  if (found == nullptr || use_.components.find(end) != nullptr) return std::nullopt;
  if (!context_.takes_boundary_values) {
    context_.fail(ErrorCode::unsupported, node.where,
                  fmt::format("'{}({})' is the value at one end of the interval: it belongs to "
                              "an 'initial equation' or 'constraint' section.",
                              name, end));
  }
  Pool& pool = context_.pool;
  Value value = *found;
  for (NodeId& leaf : value.nodes) {
    const Node of = pool[leaf];
    if (value.type != Type::real || of.op != Op::variable || of.order != 0) {
      context_.fail(ErrorCode::type_mismatch, node.where,
                    fmt::format("'{}' is not a continuous variable: only those have different "
                                "values at 'startTime' and 'finalTime'.",
                                name));
    }
    if (end == "finalTime") {
      leaf = pool.final_variable(of.symbol);
      context_.has_boundary_values = true;
    }
  }
  return value;
}

Functions::Arguments Functions::evaluate_arguments(const ExprNode& node) {
  const Ast& ast = context_.ast;
  Arguments arguments;
  for (const ExprId id : ast.children_of(node)) {
    const ExprNode& argument = ast.expr(id);
    if (argument.kind == ExprKind::named) {
      Value value = use_.expressions.evaluate(ast.child(argument, 0));
      if (!arguments.named.emplace(argument.text, std::move(value)).second) {
        context_.fail(ErrorCode::duplicate_name, argument.where,
                      fmt::format("The argument '{}' is given twice.", ast.text(argument.text)));
      }
      continue;
    }
    if (!arguments.named.empty()) {
      context_.fail(ErrorCode::syntax, argument.where,
                    "Arguments without a name must stand before those with one.");
    }
    arguments.positional.push_back(use_.expressions.evaluate(id));
  }
  return arguments;
}

void Functions::fail_undefined(const std::string& name, Position where) {
  const bool is_written_elsewhere = use_.classes.find(ClassKind::function, name) != none;
  std::string message = is_written_elsewhere
                            ? fmt::format("The external function '{}' cannot be called.", name)
                            : fmt::format("The function '{}' is not defined.", name);
  // A dotted name is one of a library that the exporting tool left out.
  if (context_.defer_undefined && name.find('.') != std::string::npos) {
    throw UndefinedFunction{where, std::move(message)};
  }
  if (is_written_elsewhere) context_.fail(ErrorCode::unsupported, where, std::move(message));
  if (use_.components.find(name) != nullptr) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' is a variable, not a function: write '*' to multiply, or "
                              "'[...]' for a subscript.",
                              name));
  }
  std::vector<std::string> known = builtin_names();
  const std::vector<std::string> own = use_.classes.function_names();
  known.insert(known.end(), own.begin(), own.end());
  const std::string nearest = nearest_name(name, known);
  context_.fail(ErrorCode::unknown_name, where,
                fmt::format("There is no function '{}'.{}", name,
                            nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
}

Shape Functions::local_shape(const Declaration& declaration, const ResolvedType& type,
                             const Value* given, bool is_assigned_later) {
  std::vector<ExprId> dimensions = declaration.dimensions;
  for (const Declaration* alias : type.aliases) {
    dimensions.insert(dimensions.end(), alias->dimensions.begin(), alias->dimensions.end());
  }
  Shape shape;
  std::int64_t total = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const ExprNode& dimension = context_.ast.expr(dimensions[d]);
    if (dimension.kind != ExprKind::colon) {
      shape.push_back(use_.expressions.size_of_dimension(dimensions[d]));
    } else if (given != nullptr && d < given->shape.size()) {
      shape.push_back(given->shape[d]);
    } else if (is_assigned_later) {
      shape.push_back(0);
      use_.scope.frame()->open.insert(declaration.name);
    } else {
      context_.fail(ErrorCode::type_mismatch, dimension.where,
                    fmt::format("The size ':' of '{}' does not follow from anything.",
                                context_.ast.text(declaration.name)));
    }
    if (shape.back() > context_.options.max_elements) {
      context_.claim_elements(shape.back(), declaration.where);
    }
    total *= shape.back();
    context_.spend(total, declaration.where);
  }
  return shape;
}

/// A variable of that type with nothing assigned yet.
Value Functions::blank(const ResolvedType& type, const Shape& shape, Position where) {
  const Deeper deeper(context_, where);
  Value value{.type = type.type, .definition = type.definition, .shape = shape};
  const std::size_t n = n_elements(shape);
  if (type.type == Type::string) {
    value.strings.resize(n);
  } else if (type.type != Type::record) {
    value.nodes.assign(n, no_node);
  } else {
    Value record{.type = Type::record, .definition = type.definition};
    for (const Declaration& field : context_.ast.definition(type.definition).declarations) {
      const ResolvedType inner = use_.classes.resolve(field.type, field.type_where);
      record.parts.push_back(blank(inner, local_shape(field, inner, nullptr), where));
    }
    if (shape.empty()) return record;
    context_.spend(count(shape), where);
    value.parts.assign(n, record);
  }
  return value;
}

Value Functions::construct(ClassId record, const Arguments& arguments, Position where) {
  const ClassDefinition& definition = context_.ast.definition(record);
  Value result{.type = Type::record, .definition = record};
  std::size_t next = 0;
  std::size_t used = 0;
  for (const Declaration& field : definition.declarations) {
    const std::string& name = context_.ast.text(field.name);
    const auto named = arguments.named.find(field.name);
    Value value;
    if (next < arguments.positional.size()) {
      value = arguments.positional[next++];
    } else if (named != arguments.named.end()) {
      value = named->second;
      ++used;
    } else if (field.binding != none) {
      value = use_.expressions.evaluate(field.binding);
    } else {
      context_.fail(ErrorCode::type_mismatch, where,
                    fmt::format("The field '{}' of record '{}' is not given.", name,
                                context_.ast.text(definition.name)));
    }
    const ResolvedType type = use_.classes.resolve(field.type, field.type_where);
    const Value target{.type = type.type,
                       .definition = type.definition,
                       .shape = local_shape(field, type, &value)};
    result.parts.push_back(
        use_.expressions.conform(value, target, where, fmt::format("field '{}'", name)));
  }
  if (next < arguments.positional.size() || used < arguments.named.size()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The record '{}' does not have so many fields, or not of these "
                              "names.",
                              context_.ast.text(definition.name)));
  }
  return result;
}

std::map<std::string, Value> Functions::constructor_arguments(const Value& object) {
  const Ast& ast = context_.ast;
  const Scope::TopLevel top_level(use_.scope);
  const ExprId binding = use_.components.binding_of(object.strings.front());
  const ClassDefinition& definition = ast.definition(object.definition);
  const auto constructor =
      std::find_if(definition.classes.begin(), definition.classes.end(),
                   [&](ClassId id) { return ast.text(ast.definition(id).name) == "constructor"; });
  if (binding == none || ast.expr(binding).kind != ExprKind::call ||
      constructor == definition.classes.end()) {
    return {};
  }
  const Arguments arguments = evaluate_arguments(ast.expr(binding));
  FunctionFrame frame;
  const Scope::InFunction inside(use_.scope, &frame);
  bind_inputs(ast.definition(*constructor), arguments, ast.expr(binding).where);
  std::map<std::string, Value> by_name;
  for (const auto& [name, value] : frame.variables) by_name[ast.text(name)] = value;
  return by_name;
}

void Functions::bind_input(const Declaration& input, const Value& value, Position where) {
  if (value.type == Type::function) {
    // Its type is a partial function, which says what it is called with.
    use_.scope.frame()->variables[input.name] = value;
    return;
  }
  const ResolvedType type = use_.classes.resolve(input.type, input.type_where);
  const Value target{
      .type = type.type, .definition = type.definition, .shape = local_shape(input, type, &value)};
  use_.scope.frame()->variables[input.name] = use_.expressions.conform(
      value, target, where, fmt::format("argument '{}'", context_.ast.text(input.name)));
}

void Functions::bind_inputs(const ClassDefinition& function, const Arguments& arguments,
                            Position where) {
  std::size_t next = 0;
  std::size_t used = 0;
  for (const Declaration& input : function.declarations) {
    if (input.causality != Causality::input) continue;
    const auto named = arguments.named.find(input.name);
    if (next < arguments.positional.size()) {
      bind_input(input, arguments.positional[next++], where);
    } else if (named != arguments.named.end()) {
      bind_input(input, named->second, where);
      ++used;
    } else if (input.binding != none) {
      bind_input(input, use_.expressions.evaluate(input.binding), where);
    } else {
      context_.fail(ErrorCode::type_mismatch, where,
                    fmt::format("The argument '{}' of function '{}' is missing.",
                                context_.ast.text(input.name), context_.ast.text(function.name)));
    }
  }
  if (next < arguments.positional.size() || used < arguments.named.size()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The function '{}' does not take so many arguments, or not of "
                              "these names.",
                              context_.ast.text(function.name)));
  }
}

/// A constructor whose body the exporting tool lost: a function without statements gives the fields
/// of the record that it returns the values of the inputs of the same names.
void Functions::fill_from_inputs(const ClassDefinition& function, FunctionFrame& frame) {
  const bool has_statements = std::any_of(function.algorithms.begin(), function.algorithms.end(),
                                          [](const auto& section) { return !section.empty(); });
  if (has_statements) return;
  for (const Declaration& output : function.declarations) {
    if (output.causality != Causality::output || output.binding != none) continue;
    Value& record = frame.variables[output.name];
    if (record.type != Type::record || !record.is_scalar()) continue;
    if (filled_.insert(function.name).second) {
      context_.diagnostics.warn(
          ErrorCode::unsupported, output.where,
          fmt::format("The function '{}' has no statements: the fields of its result are taken to "
                      "be the inputs of the same names.",
                      context_.ast.text(function.name)));
    }
    const auto& fields = context_.ast.definition(record.definition).declarations;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const auto input = frame.variables.find(fields[f].name);
      if (input == frame.variables.end()) continue;
      record.parts[f] =
          use_.expressions.conform(input->second, record.parts[f], output.where,
                                   fmt::format("field '{}'", context_.ast.text(fields[f].name)));
    }
  }
}

std::vector<std::int64_t> Functions::key_of(ClassId function, const Arguments& arguments) const {
  std::vector<std::int64_t> key{function, use_.execution.path(), context_.instant ? 1 : 0};
  const auto add = [&key](const auto& self, const Value& value) -> bool {
    if (!value.strings.empty() || value.type == Type::external) return false;
    key.insert(key.end(), {static_cast<std::int64_t>(value.type), value.definition,
                           static_cast<std::int64_t>(value.shape.size())});
    key.insert(key.end(), value.shape.begin(), value.shape.end());
    key.insert(key.end(), value.nodes.begin(), value.nodes.end());
    key.insert(key.end(), value.names.begin(), value.names.end());
    return std::ranges::all_of(value.parts, [&](const Value& part) { return self(self, part); });
  };
  for (const Value& value : arguments.positional)
    if (!add(add, value)) return {};
  for (const auto& [name, value] : arguments.named) {
    key.push_back(name);
    if (!add(add, value)) return {};
  }
  return key;
}

/// A function of scalars that is given arrays acts on each of their elements (specification of
/// Modelica, 12.4.6).
std::vector<Value> Functions::execute_for_each(ClassId id, const Arguments& arguments,
                                               Position where) {
  const Value* array = nullptr;
  const auto note = [&](const Declaration& input, const Value& value) {
    if (value.type == Type::function) return false;
    const ResolvedType type = use_.classes.resolve(input.type, input.type_where);
    const bool is_scalar_input =
        input.dimensions.empty() &&
        std::ranges::all_of(type.aliases, [](const auto* a) { return a->dimensions.empty(); });
    if (is_scalar_input && !value.is_scalar() && value.type != Type::scattered) array = &value;
    return is_scalar_input;
  };
  std::vector<bool> is_scalar_input;
  std::set<TextId> named_scalars;
  for (const Declaration& input : context_.ast.definition(id).declarations) {
    if (input.causality != Causality::input) continue;
    const auto named = arguments.named.find(input.name);
    if (is_scalar_input.size() < arguments.positional.size()) {
      is_scalar_input.push_back(note(input, arguments.positional[is_scalar_input.size()]));
    } else if (named != arguments.named.end() && note(input, named->second)) {
      named_scalars.insert(input.name);
    }
  }
  if (array == nullptr) return execute(id, arguments, where);
  const Shape shape = array->shape;
  const auto pick = [&](Value& value, bool is_for_scalar, std::size_t i) {
    if (is_for_scalar && value.shape == shape) value = element(value, i);
  };
  std::vector<std::vector<Value>> elements;
  for (std::size_t i = 0; i < n_elements(shape); ++i) {
    Arguments one = arguments;
    for (std::size_t k = 0; k < is_scalar_input.size(); ++k)
      pick(one.positional[k], is_scalar_input[k], i);
    for (auto& [name, value] : one.named) pick(value, named_scalars.contains(name), i);
    std::vector<Value> results = execute(id, one, where);
    elements.resize(results.size());
    for (std::size_t k = 0; k < results.size(); ++k) elements[k].push_back(std::move(results[k]));
  }
  std::vector<Value> results;
  for (std::vector<Value>& each : elements) {
    if (!each.front().is_scalar()) {
      context_.fail(ErrorCode::unsupported, where,
                    fmt::format("The function '{}' of scalars is given arrays, but has an array as "
                                "its result.",
                                context_.ast.text(context_.ast.definition(id).name)));
    }
    results.push_back(assemble(shape, std::move(each)));
  }
  return results;
}

std::vector<Value> Functions::execute(ClassId id, const Arguments& arguments, Position where) {
  const std::vector<std::int64_t> key = key_of(id, arguments);
  if (const auto known = executed_.find(key); known != executed_.end() && !key.empty())
    return known->second;
  const std::vector<NodeId> drawn = context_.impure.now;
  std::vector<Value> outputs = execute_anew(id, arguments, where);
  if (!key.empty() && context_.impure.now == drawn) executed_.emplace(key, outputs);
  return outputs;
}

std::vector<Value> Functions::execute_anew(ClassId id, const Arguments& arguments, Position where) {
  const Ast& ast = context_.ast;
  const ClassDefinition& function = ast.definition(id);
  if (std::find(calls_.begin(), calls_.end(), id) != calls_.end()) {
    context_.fail(ErrorCode::unsupported, where,
                  fmt::format("The function '{}' calls itself: recursion is not supported.",
                              ast.text(function.name)));
  }
  if (const double n = call_count_.of(id);
      calls_.empty() && n > static_cast<double>(context_.options.max_calls)) {
    context_.fail(ErrorCode::too_deep, where,
                  fmt::format("One call of the function '{}' executes functions {:.3g} times in "
                              "all, through those that it calls: more than {} are not expanded.",
                              ast.text(function.name), n, context_.options.max_calls));
  }
  FunctionFrame frame;
  const Scope::InFunction inside(use_.scope, &frame);
  const Restored immediate(context_.immediate, true);
  calls_.push_back(id);
  try {
    bind_inputs(function, arguments, where);
    for (const Declaration& local : function.declarations) {
      if (local.causality != Causality::input) declare_local(local, frame);
    }
    use_.execution.run(function);
    fill_from_inputs(function, frame);
  } catch (...) {
    calls_.pop_back();
    throw;
  }
  calls_.pop_back();
  return results(function, frame);
}

void Functions::declare_local(const Declaration& local, FunctionFrame& frame) {
  const Ast& ast = context_.ast;
  const ResolvedType type = use_.classes.resolve(local.type, local.type_where);
  Value value;
  if (local.binding != none) value = use_.expressions.evaluate(local.binding);
  const Value* given = local.binding != none ? &value : nullptr;
  Value variable = blank(type, local_shape(local, type, given, true), local.where);
  if (given != nullptr) {
    variable = use_.expressions.conform(value, variable, ast.expr(local.binding).where,
                                        fmt::format("variable '{}'", ast.text(local.name)));
  }
  frame.variables[local.name] = std::move(variable);
}

std::vector<Value> Functions::results(const ClassDefinition& function, FunctionFrame& frame) const {
  std::vector<Value> outputs;
  for (const Declaration& output : function.declarations) {
    if (output.causality != Causality::output) continue;
    outputs.push_back(std::move(frame.variables[output.name]));
    const std::vector<NodeId>& nodes = outputs.back().nodes;
    if (std::find(nodes.begin(), nodes.end(), no_node) != nodes.end()) {
      context_.fail(ErrorCode::invalid_value, output.where,
                    fmt::format("The result '{}' of function '{}' is not assigned in every case.",
                                context_.ast.text(output.name), context_.ast.text(function.name)));
    }
  }
  return outputs;
}

}  // namespace daedal::modelica
