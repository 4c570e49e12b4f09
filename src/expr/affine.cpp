// SPDX-License-Identifier: BSD-3-Clause
#include "expr/affine.hpp"

#include <algorithm>
#include <vector>

#include "expr/traverse.hpp"

namespace daedal {

namespace {

enum class Kind : std::uint8_t { free, affine, other };

Kind kind_of(Op op, Kind a, Kind b, Kind c) {
  if (std::max({a, b, c}) == Kind::free) return Kind::free;
  switch (op) {
    case Op::neg:
    case Op::add:
    case Op::sub:
    case Op::smooth:
      return std::max(a, b);
    case Op::mul:
      return a == Kind::free || b == Kind::free ? std::max(a, b) : Kind::other;
    case Op::div:
      return b == Kind::free ? a : Kind::other;
    case Op::if_else:
      return a == Kind::free ? std::max(b, c) : Kind::other;
    default:
      return Kind::other;
  }
}

}  // namespace

bool is_affine(const Pool& pool, NodeId root, std::span<const NodeId> leaves) {
  const Reachable part(pool, std::span(&root, 1));
  std::vector<Kind> kinds(part.size(), Kind::free);
  const auto kind = [&](NodeId id) {
    return id == no_node ? Kind::free : kinds[part.position(id)];
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    const NodeId id = part.ids()[i];
    const Node& node = pool[id];
    if (is_leaf(node.op)) {
      if (std::ranges::binary_search(leaves, id)) kinds[i] = Kind::affine;
    } else if (!is_held(node)) {
      kinds[i] = kind_of(node.op, kind(node.a), kind(node.b), kind(node.c));
    }
  }
  return kinds.back() != Kind::other;
}

}  // namespace daedal
