// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Looks into accepted steps for what its ends do not show: a bump in time or in a state, a
/// condition that changes and changes back, a kink, an argument that leaves the domain of its
/// function for a while.
///
/// Bounds of time and of the variables over the step give bounds of the arguments of the watched
/// functions (watched_functions.hpp). While all of them stay far from what they are watched for,
/// the next few steps are not looked at, nor those within bounds of the variables that were found
/// to be harmless altogether. Where one of them goes too far, the step is halved again
/// and again until each part is a gentle curve, or flat. The parts where something happens are then
/// looked at by the defect of the step's interpolant (integrate/driver/defect.hpp): if it is no
/// matter of the tolerance, the step is taken again with stops at the ends of these parts.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "integrate/driver/defect.hpp"
#include "integrate/driver/step_inspector.hpp"
#include "solve/run/output_map.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

struct WatchOptions {
  double rtol = 1e-6;
  double atol = 1e-8;
  bool can_repeat = true;       ///< false: steps are fixed, and stay as they are
  bool follows_scales = false;  ///< nobody gave an absolute tolerance
  bool is_kept = false;         ///< signals are read again later, whatever they do to the step
};

class StepWatch final : public integration::StepInspector {
 public:
  /// `functions` outlive it.
  StepWatch(const WatchedFunctions& functions, const Model& model,
            std::shared_ptr<const OutputMap> map, const WatchOptions& options);

  /// The first output that has no value somewhere within a step, though the equations have: the run
  /// goes on.
  struct Undefined {
    double t = 0.0;
    std::string message;  ///< a full sentence
  };
  [[nodiscard]] const std::optional<Undefined>& undefined_output() const { return undefined_; }

  const integration::Inspection* inspect(const integration::Ray& from, const integration::Ray& to,
                                         const integration::Stepper& stepper, Run& run) override;

 private:
  using Interval = kernel::Interval;
  /// An instant with what the bounds of a stretch beside it need.
  struct Sample {
    double t = 0.0;
    std::vector<double> values, derivatives;  ///< of the variables that are needed
    std::vector<double> differences;          ///< of the suspects, in a closer look
    std::vector<bool> is_zero;                ///< by suspect, at the ends of the step
  };
  /// A part of the step. Those in which nothing happens only count for the defect.
  struct Stretch {
    double begin = 0.0;
    double end = 0.0;
    bool is_active = false;
  };
  /// A part in which the difference of a suspect changes its sign.
  struct Bracket {
    double begin = 0.0;
    double end = 0.0;
    std::size_t suspect = 0;
  };
  /// Where a relation was farthest from its border since it changed.
  struct Side {
    double farthest = 0.0;
    double t = 0.0;
    int n_changes = 0;
  };
  struct Unresolved;
  struct Leaf {
    std::size_t place;
    std::size_t variable;  ///< position in variables_
    bool is_derivative;
  };

  bool hold(Run& run);
  void read(double t, std::span<const double> x, std::span<const double> xp, Run& run,
            Sample& sample);
  void enclose(const Sample& a, const Sample& b, std::span<const std::size_t> places);
  void bound_stretch(const Sample& a, const Sample& b);
  [[nodiscard]] bool bound_ahead(double length);
  void make_box(double length);
  /// Whether the bounds of time and variables are inside the box.
  [[nodiscard]] bool is_in_box() const;
  [[nodiscard]] static double value_of(const Leaf& leaf, const Sample& sample);
  template <class Margin>
  void enclose_point(const Sample& sample, std::span<const std::size_t> places,
                     const Margin& margin_of, double of_time = 0.0);
  [[nodiscard]] bool is_known(const integration::Ray& from) const;
  [[nodiscard]] bool is_calm(std::size_t number) const;
  [[nodiscard]] bool is_suspect(std::size_t number) const;
  [[nodiscard]] bool is_next_to_nothing(std::size_t number) const;
  void find_rests();
  void find_suspects();
  [[nodiscard]] bool is_safe_ahead(double length);

  // A closer look at one step.
  struct Look;
  void look_closer(Look& look);
  void find_ties(Look& look, const Sample& begin, const Sample& end);
  void note_sides(Look& look, const Sample& here);
  void note_differences(Sample& sample);
  void note_zeros(Sample& end, double length);
  [[nodiscard]] bool has_gap(const Sample& sample) const;
  [[nodiscard]] Sample sample_at(double t, Look& look);
  [[nodiscard]] bool is_open(const Watched& function) const;
  [[nodiscard]] bool is_from_zero(std::size_t suspect, const Sample& a, const Sample& b) const;
  [[nodiscard]] bool stays_on_side(std::size_t suspect, const Sample& a, const Sample& b,
                                   Look& look);
  [[nodiscard]] bool is_resolved(Look& look, const Sample& a, const Sample& b, Stretch& part);
  [[nodiscard]] bool is_beyond_throughout(const Watched& function);
  void search_violation(Look& look, const Sample& a, const Sample& b);
  [[nodiscard]] double greatest_value(std::size_t number, double value, Look& look);
  void tighten_greatest(Look& look, std::span<const double> values);
  void note_violation(Look& look, const Sample& before, const Sample& at);
  [[nodiscard]] Bracket crossing(const Bracket& bracket, Look& look);
  [[nodiscard]] Bracket about_crossing(const Bracket& bracket, Look& look);
  [[nodiscard]] bool ends_here(Look& look);
  [[nodiscard]] bool ends_at(double t, std::size_t column, std::size_t suspect,
                             std::string_view what);
  bool is_avoided(std::size_t suspect, double t, Look& look);
  [[nodiscard]] std::optional<std::size_t> pole_at(double t, Look& look);
  [[nodiscard]] std::vector<double> row_at(double t, Look& look);
  void give_up(double t, Run& run);
  void conclude(Look& look);

  const WatchedFunctions* functions_;
  std::shared_ptr<const OutputMap> map_;
  WatchOptions options_;
  std::vector<double> nominals_;        ///< of the needed variables
  std::vector<std::size_t> variables_;  ///< numbers of the needed ones
  std::vector<Leaf> leaves_;
  std::vector<std::size_t> times_;  ///< places of time
  std::vector<Interval> bounds_;
  std::vector<double> peak_;      ///< the greatest difference of each function so far
  std::vector<bool> rests_;       ///< by function, in the last step that was looked at
  std::vector<double> greatest_;  ///< magnitude of each leaf so far
  std::vector<std::size_t> candidates_;
  std::vector<double> modes_, discretes_;
  bool is_held_ = false;
  Sample left_, right_;
  std::vector<double> right_x_;
  std::vector<std::size_t> suspects_;
  std::vector<std::size_t> needed_;  ///< nodes to evaluate for them
  double safe_until_ = NAN;          ///< nothing can happen before, by the last look
  std::vector<Interval> box_;        ///< of time and of the leaves, see make_box(); or empty
  double box_steps_ = 0.0;
  int box_pause_ = 0;  ///< looks that go by without one
  integration::Inspection inspection_;
  std::optional<integration::Defect> defect_;
  std::vector<double> values_, derivatives_;
  OutputMap::Workspace workspace_;
  std::vector<int> n_futile_;   ///< looks that resolved nothing, by function
  std::vector<int> n_touches_;  ///< looks that could not tell whether its border is crossed
  double credit_per_step_ = 0.0;
  double credit_ = 0.0;  ///< for parts to come
  bool has_warned_ = false;
  bool has_given_up_ = false;
  std::optional<Undefined> undefined_;
  std::vector<bool> is_told_;  ///< that the function has no value somewhere
};

}  // namespace daedal::solve_detail
