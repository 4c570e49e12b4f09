// SPDX-License-Identifier: BSD-3-Clause
/// Algorithm sections of the model.

#include "modelica/elaborator.hpp"

namespace daedal::modelica {

void Equations::read_algorithm(const std::vector<StatementId>& section) {
  if (section.empty()) return;
  const Position where = hub_.context.ast.statement(section.front()).where;
  hub_.context.diagnostics.report(ErrorCode::unsupported, where,
                                  "Algorithm sections of a model are not supported: write "
                                  "equations.");
}

}  // namespace daedal::modelica
