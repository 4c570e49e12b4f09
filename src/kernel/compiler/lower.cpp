// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/compiler/passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <daedal/error.hpp>
#include <unordered_map>

#include "expr/traverse.hpp"
#include "kernel/compiler/node_operations.hpp"

namespace daedal::kernel {

namespace {

/// Up to here an integer power is a chain of products, beyond it `pow`: n products lose up to n
/// roundings, and 32 of them are 7e-15.
constexpr int longest_product = 32;

/// Kind 3 does not exist: no value is encoded so.
constexpr std::uint32_t no_value = ~0U;

/// The nodes that the outputs depend on. All outputs must be in the pool.
Reachable reached(const Pool& pool, std::span<const NodeId> outputs) {
  for (const NodeId id : outputs) {
    if (id >= 0 && id < pool.size()) continue;
    throw Error(ErrorCode::internal,
                fmt::format("Output node {} is not in the pool of {} nodes.", id, pool.size()));
  }
  return {pool, outputs};
}

/// Works on the nodes that the outputs reach, numbered anew: what it costs follows from them, not
/// from the pool.
class Lowering {
 public:
  Lowering(const Pool& pool, std::span<const NodeId> outputs, std::span<const Input> inputs)
      : part_(reached(pool, outputs)), inputs_(inputs), size_(static_cast<NodeId>(part_.size())) {
    bind(pool);
    // smooth(a) and a^1 are a.
    std::vector<NodeId> alias(part_.size());
    const auto number = [&](NodeId id) {
      return id == no_node ? no_node : alias[part_.position(id)];
    };
    nodes_.reserve(part_.size());
    for (NodeId i = 0; i < size_; ++i) {
      Node& node = nodes_.emplace_back(pool[part_.ids()[to_size(i)]]);
      for (NodeId* const argument : {&node.a, &node.b, &node.c}) *argument = number(*argument);
      const bool same = node.op == Op::smooth || (node.op == Op::pow_int && node.order == 1);
      alias[to_size(i)] = same && !is_bound(i) ? node.a : i;
    }
    for (const NodeId id : outputs) outputs_.push_back(number(id));
  }

  StaticCode run() {
    count_uses();
    fuse();
    collect_inputs();
    for (NodeId id = 0; id < size_; ++id) {
      if (is_computed(id) && !absorbed_[id] && value_[id] == no_value) emit(id);
    }
    for (const NodeId id : outputs_) code_.outputs.push_back(value_of(id));
    return std::move(code_);
  }

 private:
  void bind(const Pool& pool) {
    const std::size_t n = part_.size();
    const NodeId n_nodes = pool.size();
    binding_.assign(n, -1);
    uses_.assign(n, 0);
    pinned_.assign(n, false);
    absorbed_.assign(n, false);
    value_.assign(n, no_value);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      if (input.leaf < 0 || input.leaf >= n_nodes || input.block < 0 || input.offset < 0) {
        throw Error(ErrorCode::internal,
                    fmt::format("Input {} binds node {} to block {}, offset {}: no such place.", i,
                                input.leaf, input.block, input.offset));
      }
      if (!part_.contains(input.leaf)) continue;
      int& binding = binding_[part_.position(input.leaf)];
      if (binding >= 0) {
        const Input& other = inputs_[binding];
        if (other.block != input.block || other.offset != input.offset) {
          throw Error(ErrorCode::internal,
                      fmt::format("Node {} ({}) is bound to two places.", input.leaf,
                                  describe_leaf(pool[input.leaf])));
        }
      }
      binding = static_cast<int>(i);
    }
  }

  [[nodiscard]] bool is_bound(NodeId id) const { return binding_[id] >= 0; }
  [[nodiscard]] bool is_computed(NodeId id) const {
    return uses_[id] > 0 && !is_bound(id) && nodes_[id].op != Op::constant;
  }

  /// no_node where there is none. A square uses its base twice.
  [[nodiscard]] std::array<NodeId, 3> operands(NodeId id) const {
    const Node& node = nodes_[id];
    return {node.a, node.op == Op::pow_int ? node.a : node.b, node.c};
  }

  void count_uses() {
    for (const NodeId id : outputs_) {
      ++uses_[id];
      pinned_[id] = true;
    }
    for (NodeId id = size_ - 1; id >= 0; --id) {
      if (!is_computed(id)) continue;
      if (is_leaf(nodes_[id].op)) {
        throw Error(ErrorCode::internal, fmt::format("No input is bound to {} (node {}).",
                                                     describe_leaf(nodes_[id]), part_.ids()[id]));
      }
      for (const NodeId operand : operands(id)) {
        if (operand != no_node) ++uses_[operand];
      }
    }
  }

  [[nodiscard]] bool is_product(NodeId id) const {
    const Node& node = nodes_[id];
    return node.op == Op::mul || (node.op == Op::pow_int && node.order == 2);
  }
  [[nodiscard]] bool is_used_once(NodeId id) const {
    return is_computed(id) && uses_[id] == 1 && !pinned_[id];
  }
  [[nodiscard]] bool is_private_product(NodeId id) const {
    return is_used_once(id) && is_product(id);
  }
  /// A sum used once that would not itself become a multiply-add.
  [[nodiscard]] bool is_private_plain_sum(NodeId id) const {
    if (!is_used_once(id) || nodes_[id].op != Op::add) return false;
    const auto [x, y, none] = operands(id);
    return !is_private_product(x) && !is_private_product(y);
  }

  struct Sum {
    Op op;
    NodeId x;
    NodeId y;
  };
  /// A node with its operands. The negative of a difference without other users is the reversed
  /// difference.
  [[nodiscard]] Sum sum_of(NodeId id) const {
    const auto [x, y, none] = operands(id);
    if (nodes_[id].op != Op::neg || !is_used_once(x) || nodes_[x].op != Op::sub) {
      return {nodes_[id].op, x, y};
    }
    return {Op::sub, operands(x)[1], operands(x)[0]};
  }

  /// Marks the products and sums that are computed inside their only user. From the outside in:
  /// what is absorbed absorbs nothing.
  void fuse() {
    for (NodeId id = size_ - 1; id >= 0; --id) {
      if (!is_computed(id) || absorbed_[id]) continue;
      const auto [op, x, y] = sum_of(id);
      if (op != nodes_[id].op) absorbed_[operands(id)[0]] = true;
      if (op == Op::add || op == Op::sub) {
        if (is_private_product(x)) absorbed_[x] = true;
        if (is_private_product(y)) absorbed_[y] = true;
        if (op == Op::add && !absorbed_[x] && !absorbed_[y]) absorb_sum(x, y);
      } else if (op == Op::mul) {
        if (is_private_product(x)) {
          absorbed_[x] = true;
        } else if (is_private_product(y)) {
          absorbed_[y] = true;
        }
      }
      if (op == Op::sin) waves_[x].sine = id;
      if (op == Op::cos) waves_[x].cosine = id;
    }
  }

  void absorb_sum(NodeId x, NodeId y) {
    if (is_private_plain_sum(x)) {
      absorbed_[x] = true;
    } else if (is_private_plain_sum(y)) {
      absorbed_[y] = true;
    }
  }

  /// Gives every used input its value, ordered by place.
  void collect_inputs() {
    std::vector<NodeId> used;
    for (NodeId id = 0; id < size_; ++id) {
      if (uses_[id] > 0 && is_bound(id)) used.push_back(id);
    }
    const auto place = [&](NodeId id) {
      const Input& input = inputs_[binding_[id]];
      return std::pair(input.block, input.offset);
    };
    std::sort(used.begin(), used.end(),
              [&](NodeId a, NodeId b) { return std::pair(place(a), a) < std::pair(place(b), b); });
    for (const NodeId id : used) {
      const auto [block, offset] = place(id);
      auto& inputs = code_.inputs;
      if (inputs.empty() || inputs.back().block != block || inputs.back().offset != offset) {
        inputs.push_back({part_.ids()[id], block, offset});
      }
      value_[id] = value::encode(value::Kind::input, inputs.size() - 1);
    }
  }

  std::uint32_t constant(double x) {
    code_.constants.push_back(x);
    return value::encode(value::Kind::constant, code_.constants.size() - 1);
  }

  /// A number that powers need, of which there are few.
  std::uint32_t number(double x) {
    const auto known = std::ranges::find(numbers_, x, &std::pair<double, std::uint32_t>::first);
    return known != numbers_.end() ? known->second : numbers_.emplace_back(x, constant(x)).second;
  }

  std::uint32_t value_of(NodeId id) {
    if (value_[id] == no_value) value_[id] = constant(nodes_[id].value);
    return value_[id];
  }

  std::uint32_t append(Instruction instruction, int n_operations) {
    instruction.r = value::encode(value::Kind::computed, code_.n_computed++);
    code_.instructions.push_back(instruction);
    code_.n_operations += n_operations;
    return instruction.r;
  }

  void emit(NodeId id) {
    const Node& node = nodes_[id];
    switch (node.op) {
      case Op::pow_int:
        value_[id] = emit_power(value_of(node.a), node.order);
        return;
      case Op::add:
        value_[id] = emit_add(id);
        return;
      case Op::neg:
        value_[id] = is_absorbed(operands(id)[0]) ? emit_sub(id) : emit_plain(id);
        return;
      case Op::sub:
        value_[id] = emit_sub(id);
        return;
      case Op::mul:
        value_[id] = emit_mul(id);
        return;
      case Op::sin:
      case Op::cos:
        if (emit_sin_cos(id)) return;
        break;
      default:
        break;
    }
    value_[id] = emit_plain(id);
  }

  std::uint32_t emit_plain(NodeId id) {
    const Node& node = nodes_[id];
    Instruction instruction{.operation = plain_operation(node.op)};
    instruction.a = value_of(node.a);
    if (node.b != no_node) instruction.b = value_of(node.b);
    if (node.c != no_node) instruction.c = value_of(node.c);
    return append(instruction, 1);
  }

  [[nodiscard]] bool is_absorbed(NodeId id) const { return absorbed_[id]; }
  /// Operand number `i` of an absorbed node.
  std::uint32_t part(NodeId id, std::size_t i) { return value_of(operands(id)[i]); }

  std::uint32_t emit_add(NodeId id) {
    auto [x, y, none] = operands(id);
    if (is_absorbed(x) && is_absorbed(y) && is_product(x)) {
      return append({.operation = Operation::mul_add_mul,
                     .a = part(x, 0),
                     .b = part(x, 1),
                     .c = part(y, 0),
                     .d = part(y, 1)},
                    3);
    }
    if (is_absorbed(y)) std::swap(x, y);  // addition commutes, also in floating point
    if (!is_absorbed(x)) return emit_plain(id);
    const Operation fused = is_product(x) ? Operation::mul_add : Operation::add_add;
    return append({.operation = fused, .a = part(x, 0), .b = part(x, 1), .c = value_of(y)}, 2);
  }

  std::uint32_t emit_sub(NodeId id) {
    const auto [op, x, y] = sum_of(id);
    if (is_absorbed(x) && is_absorbed(y)) {
      return append({.operation = Operation::mul_sub_mul,
                     .a = part(x, 0),
                     .b = part(x, 1),
                     .c = part(y, 0),
                     .d = part(y, 1)},
                    3);
    }
    if (is_absorbed(x)) {
      return append(
          {.operation = Operation::mul_sub, .a = part(x, 0), .b = part(x, 1), .c = value_of(y)}, 2);
    }
    if (is_absorbed(y)) {
      return append(
          {.operation = Operation::neg_mul_add, .a = part(y, 0), .b = part(y, 1), .c = value_of(x)},
          2);
    }
    return append({.operation = Operation::sub, .a = value_of(x), .b = value_of(y)}, 1);
  }

  std::uint32_t emit_mul(NodeId id) {
    auto [x, y, none] = operands(id);
    if (is_absorbed(y)) std::swap(x, y);
    if (!is_absorbed(x)) return emit_plain(id);
    return append(
        {.operation = Operation::mul_mul, .a = part(x, 0), .b = part(x, 1), .c = value_of(y)}, 2);
  }

  bool emit_sin_cos(NodeId id) {
    const auto [sine, cosine] = waves_.at(operands(id)[0]);
    if (sine == no_node || cosine == no_node) return false;
    Instruction both{.operation = Operation::sin_cos, .a = value_of(nodes_[id].a)};
    both.d = value::encode(value::Kind::computed, code_.n_computed++);
    value_[cosine] = both.d;
    value_[sine] = append(both, 2);
    return true;
  }

  /// base^n by squaring from the top bit of n down, the same products in every back end.
  std::uint32_t emit_power(std::uint32_t base, int n) {
    if (n == 0) return number(1.0);
    if (std::abs(static_cast<long>(n)) > longest_product) {
      return append({.operation = Operation::pow, .a = base, .b = number(n)}, 1);
    }
    const auto exponent = static_cast<unsigned>(std::abs(n));
    std::uint32_t power = base;
    for (int bit = static_cast<int>(std::bit_width(exponent)) - 2; bit >= 0; --bit) {
      if ((exponent >> bit) & 1U) {
        power = append({.operation = Operation::mul_mul, .a = power, .b = power, .c = base}, 2);
      } else {
        power = append({.operation = Operation::mul, .a = power, .b = power}, 1);
      }
    }
    if (n > 0) return power;
    return append({.operation = Operation::div, .a = number(1.0), .b = power}, 1);
  }

  struct Waves {
    NodeId sine = no_node;
    NodeId cosine = no_node;
  };

  Reachable part_;
  std::span<const Input> inputs_;
  NodeId size_;
  std::vector<Node> nodes_;  ///< with the numbers here of the arguments that they are computed with
  std::vector<NodeId> outputs_;
  std::vector<int> binding_;
  std::vector<std::int32_t> uses_;
  std::vector<std::uint8_t> pinned_;    ///< outputs
  std::vector<std::uint8_t> absorbed_;  ///< computed inside their only user
  std::vector<std::uint32_t> value_;
  std::unordered_map<NodeId, Waves> waves_;  ///< sin and cos nodes by argument
  std::vector<std::pair<double, std::uint32_t>> numbers_;
  StaticCode code_;
};

}  // namespace

StaticCode lower(const Pool& pool, std::span<const NodeId> outputs, std::span<const Input> inputs) {
  return Lowering(pool, outputs, inputs).run();
}

}  // namespace daedal::kernel
