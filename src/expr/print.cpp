// SPDX-License-Identifier: BSD-3-Clause
#include "expr/print.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <daedal/error.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/external.hpp"

namespace daedal {

namespace {

/// How tightly a text binds, by the grammar of Modelica (Language Specification 3.6, A.2.7). A
/// minus sign in front binds like a sum: `a * -b` is no expression, and `-a*b` is -(a*b). Both
/// operands of ^ are primaries: a^b^c is no expression either.
enum class Binding : std::uint8_t {
  conditional,
  disjunction,
  conjunction,
  negation,
  relation,
  sum,
  term,
  factor,
  primary
};

/// What stands between two operands, how tightly it binds, and how tightly they must.
struct Infix {
  std::string_view sign;
  Binding own = Binding::primary;
  Binding left = Binding::primary;
  Binding right = Binding::primary;
};

Infix relation_sign(std::string_view sign) {
  return {sign, Binding::relation, Binding::sum, Binding::sum};
}

/// The infix form of an operation; the sign is empty where it has none.
Infix infix(Op op) {
  using enum Binding;
  switch (op) {
    case Op::add:
      return {" + ", sum, sum, term};
    case Op::sub:
      return {" - ", sum, sum, term};
    case Op::mul:
      return {"*", term, term, factor};
    case Op::div:
      return {"/", term, term, factor};
    case Op::pow:
    case Op::pow_int:
      return {"^", factor, primary, primary};
    case Op::less:
      return relation_sign(" < ");
    case Op::less_equal:
      return relation_sign(" <= ");
    case Op::greater:
      return relation_sign(" > ");
    case Op::greater_equal:
      return relation_sign(" >= ");
    case Op::equal:
      return relation_sign(" == ");
    case Op::not_equal:
      return relation_sign(" <> ");
    case Op::logical_and:
      return {" and ", conjunction, conjunction, negation};
    case Op::logical_or:
      return {" or ", disjunction, disjunction, conjunction};
    default:
      return {};
  }
}

std::string_view function_name(Op op) {
  switch (op) {
#define DAEDAL_NAME(name, ...) \
  case Op::name:               \
    return #name;
    DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_NAME)
    DAEDAL_NAME(atan2)
    DAEDAL_NAME(min)
    DAEDAL_NAME(max)
#undef DAEDAL_NAME
    default:
      throw Error(ErrorCode::internal, "An operation without a name cannot be printed.");
  }
}

std::string exact_number(double value) {
  std::array<char, 32> buffer{};
  char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  // Beyond the 32 bits of an Integer a number must not look like one.
  if (std::abs(value) > 2147483647.0 && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Printer {
 public:
  Printer(const Pool& pool, const NameOf& name_of) : pool_(pool), name_of_(name_of) {}

  std::string print(NodeId root, const PrintOptions& options) {
    expect(root, Binding::conditional, options.is_logical);
    while (!open_.empty() && text_.size() <= options.max_length) {
      const Item item = std::move(open_.back());
      open_.pop_back();
      if (item.node == no_node) {
        text_ += item.text;
      } else {
        expand(item);
      }
    }
    if (text_.size() > options.max_length) {
      text_.resize(options.max_length);
      text_ += "...";
    }
    return std::move(text_);
  }

 private:
  /// What is still to be written, last first: a text, or a node in a place that requires a
  /// binding and, it may be, for a truth value.
  struct Item {
    NodeId node = no_node;
    Binding binding = Binding::conditional;
    bool is_logical = false;
    std::string text;
  };

  void expect(NodeId node, Binding binding, bool logical = false) {
    open_.push_back({.node = node, .binding = binding, .is_logical = logical, .text = {}});
  }
  void expect(std::string text) { open_.push_back({.text = std::move(text)}); }

  [[nodiscard]] bool is_negative_number(NodeId id) const {
    return pool_[id].op == Op::constant && pool_[id].value < 0.0;
  }
  /// A product or quotient whose minus sign is written in front of all of it.
  [[nodiscard]] bool has_minus_in_front(const Node& node) const {
    return (node.op == Op::mul || node.op == Op::div) && is_negative_number(node.a);
  }

  [[nodiscard]] Binding binding_of(const Node& node) const {
    switch (node.op) {
      case Op::constant:
        return node.value < 0.0 ? Binding::sum : Binding::primary;
      case Op::neg:
        return Binding::sum;
      case Op::logical_not:
        return Binding::negation;
      case Op::if_else:
        return Binding::conditional;
      default:
        return has_minus_in_front(node) ? Binding::sum : infix(node.op).own;
    }
  }

  void expand(const Item& item) {
    const Node& node = pool_[item.node];
    // noEvent(...) is a primary and encloses already.
    const bool is_immediate = is_relation(node.op) && node.symbol < 0;
    if (is_immediate) text_ += "noEvent";
    if (is_immediate || binding_of(node) < item.binding) {
      text_ += '(';
      expect(")");
    }
    if (is_leaf(node.op)) {
      text_ += leaf_text(node, item.is_logical);
    } else if (!infix(node.op).sign.empty()) {
      expand_infix(node);
    } else {
      expand_prefix(node, item.is_logical);
    }
  }

  void expand_infix(const Node& node) {
    const Infix form = infix(node.op);
    const bool logical = node.op == Op::logical_and || node.op == Op::logical_or;
    if (node.op == Op::add && is_negative_number(node.a)) {
      // -2 + x reads better as x - 2.
      expect(exact_number(-pool_[node.a].value));
      expect(" - ");
      expect(node.b, form.left);
      return;
    }
    if (node.op == Op::pow_int) {
      const std::string exponent = exact_number(node.order);
      expect(node.order < 0 ? "(" + exponent + ")" : exponent);
    } else {
      expect(node.b, form.right, logical);
    }
    expect(std::string(form.sign));
    if (has_minus_in_front(node)) {
      text_ += exact_number(pool_[node.a].value);
    } else {
      expect(node.a, form.left, logical);
    }
  }

  void expand_prefix(const Node& node, bool logical) {
    switch (node.op) {
      case Op::neg:
        text_ += '-';
        expect(node.a, Binding::term);
        return;
      case Op::logical_not:
        text_ += "not ";
        expect(node.a, Binding::relation, true);
        return;
      case Op::if_else:
        expand_choice(node, logical);
        return;
      case Op::smooth:
        text_ += "smooth(" + exact_number(node.order) + ", ";
        break;
      case Op::external:
        text_ += external_name(pool_[node.b].value) + '(';
        break;
      default:
        text_ += std::string(function_name(node.op)) + '(';
    }
    expect(")");
    if (node.b != no_node && node.op != Op::external) {
      expect(node.b, Binding::conditional);
      expect(", ");
    }
    expect(node.a, Binding::conditional, logical);
  }

  void expand_choice(const Node& node, bool logical) {
    logical =
        logical || daedal::is_logical(pool_[node.b].op) || daedal::is_logical(pool_[node.c].op);
    text_ += "if ";
    expect(node.c, Binding::conditional, logical);
    expect(" else ");
    expect(node.b, Binding::disjunction, logical);
    expect(" then ");
    expect(node.a, Binding::disjunction, true);
  }

  [[nodiscard]] std::string leaf_text(const Node& leaf, bool logical) const {
    switch (leaf.op) {
      case Op::constant:
        if (logical) return leaf.value != 0.0 ? "true" : "false";
        return exact_number(leaf.value);
      case Op::time:
        return "time";
      case Op::initial:
        return "initial()";
      case Op::terminal:
        return "terminal()";
      case Op::pre:
      case Op::pre_variable:
        return "pre(" + name_of_(leaf.op, leaf.symbol) + ")";
      case Op::final_variable:
        return name_of_(leaf.op, leaf.symbol) + "(finalTime)";
      default:
        break;
    }
    std::string text;
    for (int i = 0; i < leaf.order; ++i) text += "der(";
    text += name_of_(leaf.op, leaf.symbol);
    text.append(static_cast<std::size_t>(leaf.order), ')');
    return text;
  }

  const Pool& pool_;
  const NameOf& name_of_;
  std::string text_;
  std::vector<Item> open_;
};

}  // namespace

std::string to_string(const Pool& pool, NodeId root, const NameOf& name_of,
                      const PrintOptions& options) {
  return Printer(pool, name_of).print(root, options);
}

}  // namespace daedal
