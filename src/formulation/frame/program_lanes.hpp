// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Programs that are evaluated for eight runs at once, with what these hold between events.

#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernel/lanes/backends.hpp"
#include "kernel/program.hpp"
#include "system/lane_source.hpp"

namespace daedal::formulation {

/// The blocks of programs, values[8·offset + lane].
class LaneBlocks {
 public:
  explicit LaneBlocks(std::size_t n) : held_(n), pointers_(n, nullptr) {}

  /// The block of one lane.
  void hold(std::size_t block, std::size_t lane, std::span<const double> values) {
    auto& all = held_[block];
    if (all.size() != lane_count * values.size()) {
      // Unused lanes are computed together with the others.
      all.resize(lane_count * values.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[i / lane_count];
      pointers_[block] = all.data();
    }
    for (std::size_t i = 0; i < values.size(); ++i) all[lane_count * i + lane] = values[i];
  }
  /// The block of all lanes, elsewhere.
  void point(std::size_t block, const double* values) { pointers_[block] = values; }
  [[nodiscard]] std::span<const double* const> pointers() const { return pointers_; }

 private:
  std::vector<kernel::AlignedVector> held_;
  std::vector<const double*> pointers_;
};

class ProgramLanes {
 public:
  explicit ProgramLanes(const kernel::Program& program)
      : program_(program),
        workspace_(program.make_lane_workspace()),
        out_(lane_count * to_size(program.n_outputs())) {}

  /// values[8·i + lane] of output i.
  const double* operator()(const LaneBlocks& blocks) {
    program_.evaluate_lanes(blocks.pointers(), out_, workspace_);
    return out_.data();
  }

 private:
  const kernel::Program& program_;
  kernel::LaneWorkspace workspace_;
  kernel::AlignedVector out_;
};

/// What the kernel does for every system.
class KernelLanes : public LaneSystem {
 public:
  void sum(const LaneSum& sum) const final { backend_.sum(sum); }

 private:
  const kernel::Backend& backend_ = *kernel::available_lane_backends().back();
};

}  // namespace daedal::formulation
