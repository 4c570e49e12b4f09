// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Taylor coefficients of a program one stage after the other, for equations whose highest
/// coefficients are unknown until the stage before is solved (ordinary differential equations, and
/// DAEs by the Σ-method: Nedialkov, Pryce, BIT 45 (2005) 561-591).
///
/// At stage s a value v has its coefficients up to s + lead(v). Each stage computes one further
/// coefficient q of every operation r of a and b: O(order) each, O(order²) in all. From stage 1 on
///
///     r_q = ∂r/∂a(a_0, b_0)·a_q + ∂r/∂b(a_0, b_0)·b_q + κ Σ_{0<j<q} u_j w_(q−j),
///
/// where u and w are two of a, b, r and their slopes. The sums need nothing of the stage itself:
/// eight of any operations are taken side by side. What is left is one line for each operation, and
/// is done again once the unknown leading coefficients, which enter as zeros, are solved for.
///
/// `TaylorEvaluator` computes whole series of known inputs, by other rules; tests hold the two
/// against each other.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernel/lanes/backends.hpp"
#include "kernel/operations.hpp"
#include "kernel/program.hpp"
#include "kernel/staged_steps.hpp"

namespace daedal::kernel {

class StagedSeries {
 public:
  using Leaf = StagedSteps::Leaf;
  static constexpr int held = StagedSteps::held;
  static constexpr int known = StagedSteps::known;

  /// `lead_of(block, offset)` of every input; output i is needed up to s + output_leads[i]. Stages
  /// go up to `last_stage`.
  StagedSeries(const Program& program, const std::function<int(int, Index)>& lead_of,
               std::span<const int> output_leads, int last_stage,
               Convolution convolve = available_convolutions().back());

  [[nodiscard]] std::span<const Leaf> leaves() const { return program_.leaves; }
  [[nodiscard]] double* series(Index slot) { return data_.data() + to_size(slot) * stride_; }
  [[nodiscard]] const double* series(Index slot) const {
    return data_.data() + to_size(slot) * stride_;
  }
  [[nodiscard]] const double* output(std::size_t i) const { return series(program_.outputs[i]); }
  /// After coefficients that were not finite, which would reach the next ones.
  void clear();
  /// The coefficients s + lead of all operations. Held inputs have one coefficient.
  void stage(int s);
  /// After the leading coefficients of inputs were given that stage s ≥ 1 took for zero.
  void correct(int s);
  /// Outputs that the inputs are solved for are zero then: correct() leaves them, and what nothing
  /// but they read, as stage() made them.
  void leave_outputs();

  /// Functions of time that change sign where the program changes its piece (abs, min, max,
  /// relations that no event holds): the coefficients known at stage s, at most as many as `out`
  /// has room for. Those after them are zero.
  [[nodiscard]] Index n_switches() const { return to_index(program_.switches.size()); }
  void switch_series(Index number, int s, std::span<double> out) const;

 private:
  using Rule = StagedRule;
  using Step = StagedStep;
  /// One line of a stage; places in data, of the coefficients at stage 0.
  struct Line {
    std::int32_t r = 0, a = 0, b = 0;
    std::int32_t sum = 0;  ///< its number
    double by_a = 0.0, by_b = 0.0, by_sum = 0.0;
  };
  /// Lines in their order. Before some of them comes a step that is more than a line.
  struct Pass {
    struct Other {
      std::size_t before;
      std::size_t step;
    };
    std::vector<Line> lines;
    std::vector<std::size_t> steps;  ///< per line
    std::vector<Other> others;
  };
  /// One of the eight operations whose sum is taken at once: places of the coefficients that are
  /// entered at stage 1, in data and in rows.
  struct Lane {
    std::int32_t a = 0, b = 0, u = 0, w = 0;
    int lead = 0;
  };
  struct LaneGroup {
    std::size_t u, w;  ///< places in rows, of the coefficients 1 of u and of w at stage 1
    int lead;          ///< the greatest
  };

  void arrange_lanes(int last_stage);
  void list_lines();
  void first_stage(int s);
  void enter_lanes(int s);
  void sum_lanes(int s);
  void differentiate(Pass& pass) const;
  void run(const Pass& pass, int s);
  void run_other(Step& step, int s);
  void start(Step& step);
  void compute(Step& step, int q);
  void differentiate(const Step& step, Line& line) const;
  void choose(Step& step, int q);
  [[nodiscard]] bool is_undecided(const Step& step, int q) const;
  [[nodiscard]] double whole_coefficient(const Step& step, int q);
  [[nodiscard]] std::int32_t place(Index slot) const {
    return static_cast<std::int32_t>(to_size(slot) * stride_);
  }

  static constexpr std::size_t n_lanes = 8;

  std::size_t stride_ = 0;
  StagedSteps program_;
  std::vector<double> data_;
  Convolution convolve_;
  std::vector<char> is_read_;  ///< per slot, by later stages; empty: all are
  Pass all_, felt_;            ///< felt: what unknown leading coefficients change
  std::vector<Lane> lanes_;
  std::size_t n_weighted_ = 0;  ///< lanes of r' = g·a', the first ones: u_j is j·a_j
  int greatest_lead_ = 0;       ///< of all lanes
  std::vector<LaneGroup> groups_;
  AlignedVector rows_;        ///< coefficients of eight lanes beside each other
  std::vector<double> sums_;  ///< per lane; 0; of what is more than a line
  std::vector<double> reciprocals_;
  std::vector<double> scratch_;
};

}  // namespace daedal::kernel
