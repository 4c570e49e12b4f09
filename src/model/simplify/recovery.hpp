// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The way back from a simplified model to the variables that the user wrote.

#include <span>
#include <string>
#include <vector>

#include "expr/pool.hpp"
#include "kernel/program.hpp"

namespace daedal {

/// The values of a run at one instant, all in the numbering of the simplified model.
struct RecoveryInput {
  double time = 0.0;
  std::span<const double> values;       ///< continuous variables
  std::span<const double> derivatives;  ///< their first time derivatives
  std::span<const double> discretes;
  std::span<const double> parameters;
};

class Recovery {
 public:
  Recovery() = default;
  /// `expressions` give the original variables, continuous then discrete, in `pool`.
  Recovery(std::vector<std::string> names, const Pool& pool, std::span<const NodeId> expressions);

  /// The original variables: continuous, then discrete ones.
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  /// What gives them, in the pool of the simplified model.
  [[nodiscard]] std::span<const NodeId> expressions() const { return expressions_; }
  [[nodiscard]] kernel::Workspace make_workspace() const { return program_.make_workspace(); }
  /// out[i] = value of names()[i]. Allocates nothing; re-entrant with a workspace per thread.
  void evaluate(const RecoveryInput& input, std::span<double> out,
                kernel::Workspace& workspace) const;

 private:
  std::vector<std::string> names_;
  std::vector<NodeId> expressions_;
  kernel::Program program_;
};

}  // namespace daedal
