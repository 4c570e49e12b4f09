// SPDX-License-Identifier: BSD-3-Clause
/// Symbols with the operators of Python. What has no symbolic meaning (a branch, a conversion to a
/// number) is refused by daedal._errors, which knows the line of the user's code.

#include <cmath>
#include <string>

#include "bindings.hpp"

namespace daedal::python {

namespace {

[[noreturn]] void refuse(const char* what, const Symbol& symbol) {
  py::module_::import("daedal._errors").attr("refuse_value")(what, py::cast(symbol));
  throw py::type_error("A symbol has no value.");
}

/// A scalar of numpy, a fraction, a decimal number: everything that Python counts as a number.
bool is_other_number(py::handle value) {
  static const py::handle generic =
      py::object(py::module_::import("numpy").attr("generic")).release();
  static const py::handle number =
      py::object(py::module_::import("numbers").attr("Number")).release();
  return py::isinstance(value, generic) || py::isinstance(value, number);
}

/// The number behind a Python or numpy scalar; false for everything else.
bool read_number(py::handle value, double& number) {
  PyObject* object = value.ptr();
  if (PyFloat_Check(object)) {
    number = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyComplex_Check(object)) {
    throw py::type_error("Complex numbers have no place in a model: all its values are real.");
  }
  if (!PyLong_Check(object) && !is_other_number(value)) return false;
  number = PyFloat_AsDouble(object);
  if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return true;
}

void require_same(const Symbol& a, const std::shared_ptr<Draft>& draft) {
  if (a.draft == draft) return;
  throw py::value_error("Symbols of two models ('" + a.draft->name() + "' and '" + draft->name() +
                        "') cannot stand in one expression.");
}

/// The node of an operand, or no_id where Python shall try the other operand's method.
TapeId operand(const std::shared_ptr<Draft>& draft, py::handle value) {
  if (py::isinstance<Symbol>(value)) {
    const auto& symbol = value.cast<const Symbol&>();
    require_same(symbol, draft);
    return symbol.id;
  }
  double number = 0.0;
  if (!read_number(value, number)) return no_id;
  if (!std::isfinite(number)) {
    py::module_::import("daedal._errors").attr("refuse_number")(number);
  }
  return draft->tape.constant(number);
}

py::object not_implemented() {
  return py::reinterpret_borrow<py::object>(Py_NotImplemented);
}

py::object binary(TapeOp op, const Symbol& a, py::handle other, bool reflected = false) {
  const TapeId b = operand(a.draft, other);
  if (b == no_id) return not_implemented();
  const TapeId id = reflected ? a.draft->tape.make(op, b, a.id) : a.draft->tape.make(op, a.id, b);
  return py::cast(Symbol{a.draft, id});
}

Symbol unary(TapeOp op, const Symbol& a) {
  return {a.draft, a.draft->tape.make(op, a.id)};
}

py::object power(const Symbol& a, py::handle exponent) {
  double number = 0.0;
  if (!py::isinstance<Symbol>(exponent) && read_number(exponent, number) &&
      std::floor(number) == number && std::abs(number) <= 64.0) {
    const auto n = static_cast<std::int32_t>(number);
    if (n == 0) return py::float_(1.0);
    if (n == 1) return py::cast(a);
    return py::cast(
        Symbol{a.draft, a.draft->tape.make(TapeOp::integer_power, a.id, no_id, no_id, n)});
  }
  return binary(TapeOp::power, a, exponent);
}

/// a // b and a % b by the floor, as Python defines them.
py::object floor_divide(const Symbol& a, py::handle other, bool reflected) {
  const py::object quotient = binary(TapeOp::divide, a, other, reflected);
  if (quotient.ptr() == Py_NotImplemented) return quotient;
  return py::cast(unary(TapeOp::floor, quotient.cast<const Symbol&>()));
}
py::object remainder(const Symbol& a, py::handle other, bool reflected) {
  const TapeId b = operand(a.draft, other);
  if (b == no_id) return not_implemented();
  Tape& tape = a.draft->tape;
  const TapeId dividend = reflected ? b : a.id;
  const TapeId divisor = reflected ? a.id : b;
  const TapeId whole = tape.make(TapeOp::floor, tape.make(TapeOp::divide, dividend, divisor));
  return py::cast(Symbol{
      a.draft, tape.make(TapeOp::subtract, dividend, tape.make(TapeOp::multiply, divisor, whole))});
}

py::object equality(const Symbol& a, py::handle other) {
  const TapeId b = operand(a.draft, other);
  if (b == no_id) return not_implemented();
  return py::cast(SymbolicEquation{a, {a.draft, b}});
}

Symbol derivative(const Symbol& a, const py::object& given) {
  if (!py::isinstance<py::int_>(given)) {
    throw py::type_error("The order of der() is a whole number, not " +
                         py::repr(given).cast<std::string>() + ".");
  }
  const int order = given.cast<int>();
  if (order < 0) throw py::value_error("der() needs an order of at least 0.");
  if (order == 0) return a;
  const TapeNode node = a.draft->tape[a.id];
  if (node.op == TapeOp::derivative) {
    return {a.draft,
            a.draft->tape.make(TapeOp::derivative, node.a, no_id, no_id, node.number + order)};
  }
  return {a.draft, a.draft->tape.make(TapeOp::derivative, a.id, no_id, no_id, order)};
}

// ---------------------------------------------------------------------------------- printing

constexpr int deepest_print = 12;

std::string number_text(double value) {
  return py::repr(py::float_(value)).cast<std::string>();
}

const char* infix(TapeOp op) {
  switch (op) {
    case TapeOp::add:
      return " + ";
    case TapeOp::subtract:
      return " - ";
    case TapeOp::multiply:
      return "*";
    case TapeOp::divide:
      return "/";
    case TapeOp::power:
      return "**";
    case TapeOp::less:
      return " < ";
    case TapeOp::less_equal:
      return " <= ";
    case TapeOp::greater:
      return " > ";
    case TapeOp::greater_equal:
      return " >= ";
    case TapeOp::logical_and:
      return " & ";
    case TapeOp::logical_or:
      return " | ";
    default:
      return nullptr;
  }
}

const char* function_name(TapeOp op) {
  switch (op) {
#define DAEDAL_NAME(name, ...) \
  case TapeOp::name:           \
    return #name;
    DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_NAME)
#undef DAEDAL_NAME
    case TapeOp::atan2:
      return "arctan2";
    case TapeOp::minimum:
      return "minimum";
    case TapeOp::maximum:
      return "maximum";
    case TapeOp::if_else:
      return "where";
    case TapeOp::no_event:
      return "no_event";
    case TapeOp::previous:
      return "pre";
    case TapeOp::final_value:
      return "final";
    case TapeOp::sample:
      return "sample";
    case TapeOp::logical_not:
      return "logical_not";
    default:
      return "?";
  }
}

/// How tightly an operator binds: what binds looser stands in brackets.
int binding(TapeOp op) {
  switch (op) {
    case TapeOp::less:
    case TapeOp::less_equal:
    case TapeOp::greater:
    case TapeOp::greater_equal:
    case TapeOp::logical_and:
    case TapeOp::logical_or:
      return 0;
    case TapeOp::add:
    case TapeOp::subtract:
      return 1;
    case TapeOp::multiply:
    case TapeOp::divide:
    case TapeOp::negate:
      return 2;
    case TapeOp::power:
    case TapeOp::integer_power:
      return 3;
    default:
      return 4;
  }
}

std::string text_of(const Draft& draft, TapeId id, int depth = 0) {
  if (depth > deepest_print) return "...";
  const TapeNode& node = draft.tape[id];
  const auto number = static_cast<std::size_t>(node.number);
  const auto part = [&](TapeId argument, bool strictly) {
    const std::string text = text_of(draft, argument, depth + 1);
    const int inside = binding(draft.tape[argument].op);
    const int outside = binding(node.op);
    return inside < outside || (strictly && inside == outside) ? "(" + text + ")" : text;
  };
  switch (node.op) {
    case TapeOp::constant:
      return number_text(node.value);
    case TapeOp::time:
      return "time";
    case TapeOp::variable:
      return draft.variables[number].name;
    case TapeOp::discrete:
      return draft.discretes[number].name;
    case TapeOp::parameter:
      return draft.parameters[number].name;
    case TapeOp::derivative:
      return "der(" + text_of(draft, node.a, depth + 1) +
             (node.number == 1 ? ")" : ", " + std::to_string(node.number) + ")");
    case TapeOp::negate:
      return "-" + part(node.a, true);
    case TapeOp::integer_power:
      return part(node.a, true) + "**" + std::to_string(node.number);
    default:
      break;
  }
  if (const char* sign = infix(node.op)) return part(node.a, false) + sign + part(node.b, true);
  std::string text = std::string(function_name(node.op)) + "(";
  for (const TapeId argument : {node.a, node.b, node.c}) {
    if (argument == no_id) break;
    if (argument != node.a || text.back() != '(') text += ", ";
    text += text_of(draft, argument, depth + 1);
  }
  return text + ")";
}

// ---------------------------------------------------------------------------------- functions

struct NamedOp {
  const char* name;
  TapeOp op;
};

constexpr NamedOp unary_functions[] = {
#define DAEDAL_ROW(name, ...) {#name, TapeOp::name},
    DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_ROW)
#undef DAEDAL_ROW
        {"no_event", TapeOp::no_event},
    {"pre", TapeOp::previous},
    {"final", TapeOp::final_value},
    {"logical_not", TapeOp::logical_not},
};

constexpr NamedOp binary_functions[] = {{"atan2", TapeOp::atan2},
                                        {"minimum", TapeOp::minimum},
                                        {"maximum", TapeOp::maximum},
                                        {"logical_and", TapeOp::logical_and},
                                        {"logical_or", TapeOp::logical_or}};

/// The draft of the first symbol among the arguments; null where all are numbers.
std::shared_ptr<Draft> draft_of(std::initializer_list<py::handle> arguments) {
  for (const py::handle argument : arguments) {
    if (py::isinstance<Symbol>(argument)) return argument.cast<const Symbol&>().draft;
  }
  return nullptr;
}

void bind_operators(py::class_<Symbol>& type) {
  const auto arithmetic = [&](const char* name, const char* reflected, TapeOp op) {
    type.def(name, [op](const Symbol& a, py::handle b) { return binary(op, a, b); });
    type.def(reflected, [op](const Symbol& a, py::handle b) { return binary(op, a, b, true); });
  };
  arithmetic("__add__", "__radd__", TapeOp::add);
  arithmetic("__sub__", "__rsub__", TapeOp::subtract);
  arithmetic("__mul__", "__rmul__", TapeOp::multiply);
  arithmetic("__truediv__", "__rtruediv__", TapeOp::divide);
  arithmetic("__and__", "__rand__", TapeOp::logical_and);
  arithmetic("__or__", "__ror__", TapeOp::logical_or);
  type.def("__pow__", &power);
  type.def("__rpow__",
           [](const Symbol& a, py::handle b) { return binary(TapeOp::power, a, b, true); });
  type.def("__floordiv__", [](const Symbol& a, py::handle b) { return floor_divide(a, b, false); });
  type.def("__rfloordiv__", [](const Symbol& a, py::handle b) { return floor_divide(a, b, true); });
  type.def("__mod__", [](const Symbol& a, py::handle b) { return remainder(a, b, false); });
  type.def("__rmod__", [](const Symbol& a, py::handle b) { return remainder(a, b, true); });
  const auto relation = [&](const char* name, TapeOp op) {
    type.def(name, [op](const Symbol& a, py::handle b) { return binary(op, a, b); });
  };
  relation("__lt__", TapeOp::less);
  relation("__le__", TapeOp::less_equal);
  relation("__gt__", TapeOp::greater);
  relation("__ge__", TapeOp::greater_equal);
  type.def("__eq__", &equality);
  type.def("__ne__", [](const Symbol& a, py::handle) -> py::object { refuse("!=", a); });
  type.def("__hash__", [](const Symbol& a) {
    return static_cast<py::ssize_t>(std::hash<const void*>()(a.draft.get())) ^
           (static_cast<py::ssize_t>(a.id) << 4);
  });
  type.def("__neg__", [](const Symbol& a) { return unary(TapeOp::negate, a); });
  type.def("__pos__", [](const Symbol& a) { return a; });
  type.def("__abs__", [](const Symbol& a) { return unary(TapeOp::abs, a); });
  type.def("__invert__", [](const Symbol& a) { return unary(TapeOp::logical_not, a); });
  type.def("__floor__", [](const Symbol& a) { return unary(TapeOp::floor, a); });
  type.def("__bool__", [](const Symbol& a) -> bool { refuse("branch", a); });
  type.def("__float__", [](const Symbol& a) -> double { refuse("float", a); });
  type.def("__int__", [](const Symbol& a) -> int { refuse("int", a); });
  type.def("__index__", [](const Symbol& a) -> int { refuse("index", a); });
  type.def("__complex__", [](const Symbol& a) -> double { refuse("complex", a); });
  type.def("__repr__", [](const Symbol& a) { return text_of(*a.draft, a.id); });
}

}  // namespace

TapeId node_of(const std::shared_ptr<Draft>& draft, py::handle value) {
  const TapeId id = operand(draft, value);
  if (id != no_id) return id;
  throw py::type_error("A number or an expression is needed here, not " +
                       py::repr(py::type::handle_of(value).attr("__name__")).cast<std::string>() +
                       ".");
}

TapeId optional_node_of(const std::shared_ptr<Draft>& draft, py::handle value) {
  return value.is_none() ? no_id : node_of(draft, value);
}

void bind_expressions(py::module_& module) {
  py::class_<Symbol> type(module, "Expr", "An expression of a model: a symbol, not a number.");
  bind_operators(type);
  type.def("der", &derivative, "order"_a = py::int_(1), "The total time derivative.");
  type.def_property_readonly("name", [](const Symbol& a) { return text_of(*a.draft, a.id); });
  type.def_property_readonly(
      "is_variable", [](const Symbol& a) { return a.draft->tape[a.id].op == TapeOp::variable; });
  type.def_property_readonly("is_relation", [](const Symbol& a) {
    const TapeOp op = a.draft->tape[a.id].op;
    return op >= TapeOp::less && op <= TapeOp::logical_not;
  });
  for (const NamedOp& row : unary_functions) {
    type.def(row.name, [op = row.op](const Symbol& a) { return unary(op, a); });
  }
  for (const NamedOp& row : binary_functions) {
    module.def(row.name, [op = row.op](py::handle a, py::handle b) {
      const auto draft = draft_of({a, b});
      if (!draft) throw py::type_error("One of the arguments must be an expression.");
      return Symbol{draft, draft->tape.make(op, node_of(draft, a), node_of(draft, b))};
    });
  }
  module.def("if_else", [](py::handle condition, py::handle a, py::handle b) {
    const auto draft = draft_of({condition, a, b});
    if (!draft) throw py::type_error("One of the arguments must be an expression.");
    return Symbol{draft, draft->tape.make(TapeOp::if_else, node_of(draft, condition),
                                          node_of(draft, a), node_of(draft, b))};
  });
  py::class_<SymbolicEquation>(module, "Equation", "Two sides of an equation, written lhs == rhs.")
      .def_readonly("lhs", &SymbolicEquation::lhs)
      .def_readonly("rhs", &SymbolicEquation::rhs)
      .def("__bool__", [](const SymbolicEquation& e) -> bool { refuse("==", e.lhs); })
      .def("__repr__", [](const SymbolicEquation& e) {
        return text_of(*e.lhs.draft, e.lhs.id) + " == " + text_of(*e.rhs.draft, e.rhs.id);
      });
}

}  // namespace daedal::python
