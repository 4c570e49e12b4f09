// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Eight members of an ensemble in the lanes of one thread. One that is done makes room for the
/// next; one that leaves its lane is run again by itself.

#include <array>
#include <daedal/ensemble.hpp>
#include <memory>
#include <optional>

#include "solve/ensemble/lane_member.hpp"

namespace daedal {

class Ensemble::LaneCrew {
 public:
  LaneCrew(const Ensemble& ensemble, const EnsembleOptions& options);

  /// Until there are no more members, or lanes turn out to save nothing.
  void work(const Next& next, const std::function<void(MemberResult)>& take);
  [[nodiscard]] LaneReport report() const;

 private:
  /// What all members in lanes share, made for the first one.
  struct Shared {
    std::shared_ptr<const solve_detail::Preparation> preparation;
    solve_detail::Candidate candidate;
    solve_detail::FormulationPtr formulation;
    const integration::IntegratorRow* integrator = nullptr;
    std::shared_ptr<const solve_detail::OutputMap> map;
    std::unique_ptr<LaneSystem> lanes;
    std::optional<integration::LaneSteps> steps;
    std::size_t n_searched = 0;  ///< starts that were not met as they were given
  };
  struct Seat {
    std::optional<solve_detail::LaneMember> run;
    MemberResult result;
  };

  /// Null where the model, its method or its integrator have no lanes.
  [[nodiscard]] std::unique_ptr<Shared> make_shared(
      const std::shared_ptr<const solve_detail::Preparation>& preparation,
      const solve_detail::RunContext& context) const;
  /// False where the member is to be run by itself.
  bool seat(std::size_t member, Seat& seat);
  bool seat_run(std::size_t member, Seat& seat);
  bool seat_run(solve_detail::PreparedRun run,
                std::unique_ptr<const solve_detail::RunContext> context, Seat& seat);
  /// A long run once more from its start, with a sharper tolerance.
  bool begin_again(Seat& seat);
  void finish(Seat& seat) const;
  /// False where there are no more members for now.
  bool fill(Seat& seat, bool may_wait, const Next& next,
            const std::function<void(MemberResult)>& take);
  [[nodiscard]] bool pays() const;

  const Ensemble& ensemble_;
  EnsembleOptions options_;
  std::unique_ptr<Shared> shared_;
  std::array<Seat, lane_count> seats_;
  std::size_t n_done_ = 0, n_left_ = 0;  ///< members in lanes, and those that have left them
};

}  // namespace daedal
