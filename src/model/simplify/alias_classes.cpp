// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/alias_classes.hpp"

namespace daedal {

AliasClasses::AliasClasses(std::int32_t n_variables)
    : parent_(static_cast<std::size_t>(n_variables)),
      sign_(static_cast<std::size_t>(n_variables), 1),
      members_(static_cast<std::size_t>(n_variables)) {
  for (std::int32_t i = 0; i < n_variables; ++i) {
    parent_[static_cast<std::size_t>(i)] = i;
    members_[static_cast<std::size_t>(i)] = {i};
  }
}

AliasClasses::Member AliasClasses::find(std::int32_t variable) {
  std::int32_t root = variable;
  int sign = 1;
  while (parent_[static_cast<std::size_t>(root)] != root) {
    sign *= sign_[static_cast<std::size_t>(root)];
    root = parent_[static_cast<std::size_t>(root)];
  }
  // Second pass: every variable on the way points at the root directly.
  int rest = sign;
  while (variable != root) {
    const auto i = static_cast<std::size_t>(variable);
    const int own = sign_[i];
    variable = parent_[i];
    parent_[i] = root;
    sign_[i] = rest;
    rest *= own;  // signs are their own inverses
  }
  return {root, sign};
}

void AliasClasses::merge(std::int32_t a, std::int32_t b, int sign) {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  parent_[j] = a;
  sign_[j] = sign;
  // The shorter list is appended to the longer one: n log n moves in all.
  if (members_[i].size() < members_[j].size()) members_[i].swap(members_[j]);
  members_[i].insert(members_[i].end(), members_[j].begin(), members_[j].end());
  members_[j] = {};
}

const std::vector<std::int32_t>& AliasClasses::members(std::int32_t representative) const {
  return members_[static_cast<std::size_t>(representative)];
}

}  // namespace daedal
