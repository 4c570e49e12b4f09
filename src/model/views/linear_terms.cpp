// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/linear_terms.hpp"

#include <algorithm>

namespace daedal {

namespace {

bool is_number(const Pool& pool, NodeId id) {
  return pool[id].op == Op::constant;
}

/// Sorts by node, adds up equal ones, drops what cancels.
void collect(std::vector<LinearTerm>& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const LinearTerm& x, const LinearTerm& y) { return x.node < y.node; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    LinearTerm sum = terms[i++];
    while (i < terms.size() && terms[i].node == sum.node) sum.coefficient += terms[i++].coefficient;
    if (sum.coefficient != 0.0) terms[kept++] = sum;
  }
  terms.resize(kept);
}

}  // namespace

std::vector<LinearTerm> linear_terms(const Pool& pool, NodeId lhs, NodeId rhs) {
  std::vector<LinearTerm> stack{{rhs, -1.0}, {lhs, 1.0}};
  std::vector<LinearTerm> terms;
  while (!stack.empty()) {
    const LinearTerm term = stack.back();
    stack.pop_back();
    const Node& node = pool[term.node];
    const double c = term.coefficient;
    if (node.op == Op::add || node.op == Op::sub) {
      stack.push_back({node.b, node.op == Op::add ? c : -c});
      stack.push_back({node.a, c});
    } else if (node.op == Op::neg) {
      stack.push_back({node.a, -c});
    } else if (node.op == Op::mul && is_number(pool, node.a)) {
      stack.push_back({node.b, c * pool[node.a].value});
    } else if (node.op == Op::mul && is_number(pool, node.b)) {
      stack.push_back({node.a, c * pool[node.b].value});
    } else if (node.op == Op::div && is_number(pool, node.b) && pool[node.b].value != 0.0) {
      stack.push_back({node.a, c / pool[node.b].value});
    } else if (node.op != Op::constant || node.value != 0.0) {
      terms.push_back(term);
    }
  }
  collect(terms);
  return terms;
}

NodeId sum_of_terms(Pool& pool, const std::vector<LinearTerm>& terms) {
  NodeId sum = pool.constant(0.0);
  for (const LinearTerm& term : terms) {
    if (term.coefficient == 1.0) {
      sum = pool.add(sum, term.node);
    } else if (term.coefficient == -1.0) {
      sum = pool.sub(sum, term.node);
    } else {
      sum = pool.add(sum, pool.mul(pool.constant(term.coefficient), term.node));
    }
  }
  return sum;
}

}  // namespace daedal
