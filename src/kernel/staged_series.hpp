// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Taylor coefficients of a program one stage after the other, for equations whose highest
/// coefficients are unknown until the stage before is solved (ordinary differential equations, and
/// DAEs by the Σ-method: Nedialkov, Pryce, BIT 45 (2005) 561-591).
///
/// At stage s a value v has its coefficients up to s + lead(v). Each stage computes one further
/// coefficient of every operation, by one convolution: O(order) each, O(order²) in all. Unknown
/// leading coefficients enter as zeros; once they are solved for, `correct` adds what they change.
/// That is linear from stage 1 on, with the derivatives of each operation at its operands' values:
/// one multiplication an operand.
///
/// `TaylorEvaluator` computes whole series of known inputs, by other rules; tests hold the two
/// against each other.

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernel/lanes/backends.hpp"
#include "kernel/operations.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

class StagedSeries {
 public:
  /// Leads of inputs that have no unknown coefficient: constant in time, or known as far as needed.
  static constexpr int held = std::numeric_limits<int>::max();
  static constexpr int known = held - 1;

  /// An input of the program, and where its series is.
  struct Leaf {
    int block = 0;
    Index offset = 0;
    Index slot = 0;
    int lead = 0;  ///< at stage s its coefficients up to s + lead are read
  };

  /// `lead_of(block, offset)` of every input; output i is needed up to s + output_leads[i]. Stages
  /// go up to `last_stage`.
  StagedSeries(const Program& program, const std::function<int(int, Index)>& lead_of,
               std::span<const int> output_leads, int last_stage,
               SeriesSweep sweep = available_series_sweeps().back());

  [[nodiscard]] std::span<const Leaf> leaves() const { return leaves_; }
  [[nodiscard]] double* series(Index slot) {
    return data_.data() + to_size(slot) * stride_ + SeriesStep::padding;
  }
  [[nodiscard]] const double* series(Index slot) const {
    return data_.data() + to_size(slot) * stride_ + SeriesStep::padding;
  }
  [[nodiscard]] const double* output(std::size_t i) const { return series(outputs_[i]); }
  /// After coefficients that were not finite, which would reach the next ones.
  void clear();
  /// The coefficients s + lead of all operations. Held inputs have one coefficient.
  void stage(int s);
  /// After the leading coefficients of inputs have changed by `changes` (by number of the leaf) at
  /// stage s ≥ 1.
  void correct(int s, std::span<const double> changes);

  /// Functions of time that change sign where the program changes its piece (abs, min, max,
  /// relations that no event holds): the coefficients known at stage s, at most as many as `out`
  /// has room for. Those after them are zero.
  [[nodiscard]] Index n_switches() const { return to_index(switches_.size()); }
  void switch_series(Index number, int s, std::span<double> out) const;

 private:
  /// As those of SeriesStep, and
  enum class Rule {
    constant,  ///< of held operands
    linear,
    scaled,
    product,
    square,
    quotient,
    root,
    power,
    primitive,
    piece,  ///< a or b, with a sign: chosen where τ = 0
    whole,  ///< by the rule of whole series: functions that are not listed here
  };
  struct Step {
    Rule rule = Rule::constant;
    Operation value = Operation::stop;  ///< of the leading coefficient; stop: 0
    Index r = 0, a = 0, b = 0, c = 0;
    Index g = 0;  ///< the slope of a primitive
    double factor_a = 1.0, factor_b = 0.0;
    int lead = 0;
    bool feels_a = false, feels_b = false;  ///< the operand's leading coefficient is that of r
    [[nodiscard]] SeriesStep::Rule sweep_rule() const;
  };
  /// Of r by the leading coefficients of its operands.
  struct Correction {
    Index step = 0;
    Index r = 0, a = 0, b = 0;  ///< numbers of changes
    Index place = 0;            ///< in data, of the coefficient at stage 0
    bool is_piece = false;
    double by_a = 0.0, by_b = 0.0;
  };
  struct Switch {
    Index a, b;              ///< b < 0: a alone
    bool has_steps = false;  ///< at all whole numbers
  };

  class Lowering;

  void list();
  void first_stage(int s);
  void compute(Step& step, int q);
  void start(Step& step);
  void differentiate(Correction& correction) const;
  void decide(Correction& correction, int s);
  void choose(Step& step, int q);
  [[nodiscard]] bool is_undecided(const Step& step, int q) const;
  [[nodiscard]] double whole_coefficient(const Step& step, int q);

  std::size_t stride_ = 0;
  std::vector<double> data_;
  std::vector<int> leads_;  ///< per slot
  SeriesSweep sweep_;
  std::vector<Step> steps_;
  std::vector<SeriesStep> sweep_steps_;
  std::vector<std::size_t> sweep_numbers_;  ///< per step that is swept, of steps_
  std::vector<Correction> corrections_;
  std::vector<std::pair<Index, double>> constants_;
  std::vector<Leaf> leaves_;
  std::vector<Index> outputs_;
  std::vector<Switch> switches_;
  std::vector<double> changes_;  ///< per slot
  std::vector<double> scratch_;
};

}  // namespace daedal::kernel
