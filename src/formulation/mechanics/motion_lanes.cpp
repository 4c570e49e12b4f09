// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/motion_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "formulation/constrained/manifold_newton.hpp"

namespace daedal::formulation {

namespace {

using PerLane = std::array<double, lane_count>;

/// The numbers of one lane; false where one is not finite.
bool gather(const double* from, std::size_t lane, std::span<double> to) {
  double check = 0.0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from[lane_count * i + lane];
    check += 0.0 * to[i];
  }
  return check == 0.0;
}

/// Calls `visit` for every lane of a set; those for which it is true.
template <class Visit>
LaneSet where(LaneSet lanes, const Visit& visit) {
  LaneSet found = 0;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    if ((lanes >> lane & 1U) != 0 && visit(lane)) found |= 1U << lane;
  }
  return found;
}

}  // namespace

MotionLanes::MotionLanes(const Mechanics& mechanics, const Mechanics::Programs& programs,
                         const MechanicalManifold* manifold)
    : n_(to_size(mechanics.n())),
      m_(to_size(mechanics.m())),
      manifold_(manifold),
      blocks_(Mechanics::first_state_block + 2),
      motion_(programs.motion),
      position_(programs.position),
      velocity_(programs.velocity),
      mass_(programs.mass),
      one_over_usual_(lane_count * m_, 1.0),
      moved_(n_),
      weights_(n_) {}

void MotionLanes::take(std::size_t lane, Run& base) {
  auto& run = run_of<MechanicalRun>(base);
  blocks_.hold(Mechanics::parameter_block, lane, run.parameters);
  blocks_.hold(Mechanics::mode_block, lane, run.modes);
  blocks_.hold(Mechanics::discrete_block, lane, run.discretes);
  blocks_.hold(Mechanics::pre_block, lane, run.pre);
  accept(lane, run);
}

void MotionLanes::accept(std::size_t lane, Run& base) {
  const auto& watched = run_of<MechanicalRun>(base).work.conditioning;
  for (std::size_t i = 0; watched && i < m_; ++i) {
    one_over_usual_[lane_count * i + lane] = watched->one_over_usual()[i];
  }
}

void MotionLanes::note_conditioning(double least, Run& base) const {
  auto& watched = run_of<MechanicalRun>(base).work.conditioning;
  if (watched) watched->note(least);
}

void MotionLanes::note_end(std::size_t lane, double conditioning, Run& base) const {
  auto& watched = run_of<MechanicalRun>(base).work.conditioning;
  if (watched) watched->take({squares_ + lane, lane_count}, conditioning);
}

void MotionLanes::point(const double* t, const double* x) {
  blocks_.point(Mechanics::time_block, t);
  blocks_.point(Mechanics::first_state_block, x);
  blocks_.point(Mechanics::first_state_block + 1, x + lane_count * n_);
}

/// As ConstraintConditioning::take_pivots() has it for one run.
LaneSet MotionLanes::rhs(const double* t, const double* x, double* xp, double* conditioning) {
  point(t, x);
  const double* out = motion_(blocks_);
  std::copy_n(x + lane_count * n_, lane_count * n_, xp);
  std::copy_n(out, lane_count * n_, xp + lane_count * n_);
  out += lane_count * (n_ + m_);
  PerLane shortest;  // row over its usual length, squared
  shortest.fill(1.0);
  squares_ = out;
  for (std::size_t i = 0; i < m_; ++i, out += lane_count) {
    for (std::size_t l = 0; l < lane_count; ++l) {
      const double share = out[l] * one_over_usual_[lane_count * i + l];
      shortest[l] = share < shortest[l] ? share : shortest[l];
    }
  }
  LaneSet good = 0;
  for (std::size_t l = 0; l < lane_count; ++l) {
    if (out[l] > 0.0) good |= 1U << l;
    conditioning[l] = shortest[l] * out[l];
  }
  return good;
}

LaneSet MotionLanes::factor(const Ends& ends, LaneSet lanes) {
  const double* const constraints = position_(blocks_);
  const double* const masses = manifold_->metric() == Metric::mass ? mass_(blocks_) : nullptr;
  return where(lanes, [&](std::size_t lane) {
    auto& run = run_of<MechanicalRun>(*ends.runs[lane]);
    ProjectionWork& work = run.projection;
    return gather(constraints, lane, work.values) &&
           gather(constraints + lane_count * m_, lane, work.jacobian) &&
           (masses == nullptr || gather(masses, lane, work.mass)) &&
           manifold_->factor(ends.t[lane], run) == Evaluation::ok;
  });
}

/// As MechanicalManifold::project_level() does it for one run.
LaneSet MotionLanes::project_level(int level, const Ends& ends, LaneSet lanes) {
  using Next = ManifoldNewton::Next;
  const std::size_t first = level == 0 ? 0 : lane_count * n_;
  std::array<ManifoldNewton, lane_count> newton;
  LaneSet done = 0;
  bool is_known = level == 0;  // factor() has left g
  for (LaneSet open = lanes; open != 0; is_known = false) {
    const double* const found = is_known     ? nullptr
                                : level == 0 ? position_(blocks_)
                                             : velocity_(blocks_);
    const auto goes_on = [&](std::size_t lane) {
      auto& run = run_of<MechanicalRun>(*ends.runs[lane]);
      ProjectionWork& work = run.projection;
      if (found != nullptr && !gather(found, lane, work.values)) return false;
      for (double& value : work.values) value = -value;
      manifold_->correct(run);
      gather(ends.x + first, lane, moved_);
      gather(ends.weights + first, lane, weights_);
      const Next next = newton[lane].add({moved_, weights_, work.correction});
      for (std::size_t i = 0; i < n_; ++i) ends.x[first + lane_count * i + lane] = moved_[i];
      if (next == Next::done) done |= 1U << lane;
      return next == Next::again;
    };
    open = where(open, goes_on);
  }
  return done;
}

LaneSet MotionLanes::project(const Ends& ends, LaneSet lanes) {
  if (manifold_ == nullptr) return lanes;
  point(ends.t, ends.x);
  lanes = factor(ends, lanes);
  for (const int level : {0, 1}) lanes = project_level(level, ends, lanes);
  return lanes;
}

}  // namespace daedal::formulation
