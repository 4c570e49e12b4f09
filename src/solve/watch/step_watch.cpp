// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/step_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "formulation/frame/model_run.hpp"
#include "integrate/driver/event_roots.hpp"

namespace daedal::solve_detail {

namespace {

using integration::Inspection;
using integration::Part;
using kernel::Interval;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Variables whose rates are unknown may leave the range of their values by this share of it.
constexpr double unknown_rate_margin = 0.5;
/// The shortest part of a step that is looked at, but for functions of the time alone: it is known
/// exactly, and they are followed down to its resolution.
constexpr double shortest_part = 0x1p-26;
/// A relation that has changed within a longer part may have changed more than once, and so may the
/// sign of a kink.
constexpr double shortest_crossing = 0x1p-10;
constexpr double coarse_part = 0.25;
/// Samples tell of a smooth curve in a part this short, which bends by less than this share of its
/// distance from 0.
constexpr double short_part = 0x1p-4;
constexpr double least_bend = 0.5;
constexpr double rate_share = 0.1;
constexpr double noise_share = 1e-4;  ///< of the tolerance of a value that hardly moves
/// Where a step is looked at for relations between what is the same: at no simple share of it.
constexpr std::array tie_shares{0.137, 0.382, 0.618, 0.863};
/// What is only known at the ends of parts needs them as short as this.
constexpr double implicit_strain = 0x1p-4;
/// A step with more parts is taken again, as far as half of them reach; when that is next to
/// nothing of it, more are looked at, and in the end the rest is believed with a warning.
constexpr int max_parts = 1000;
constexpr double least_progress = 0x1p-13;
constexpr int most_parts = 32 * max_parts;
/// So does a run that has looked at more parts than these and some for each step, each counted by
/// the nodes that it evaluates: looking must not cost many times what stepping does.
constexpr int min_parts = 16;
constexpr int least_parts = 2;  ///< however many nodes there are
constexpr double first_credit = 4e5;
constexpr double least_credit_per_step = 20.0;
constexpr double whole_looks_per_step = 0.25;
constexpr double nodes_at_a_time = 64.0;
/// Where there are more nodes than this, as of the properties of water, even one look at a step,
/// which encloses all of them a few times, costs more than the step: looks are counted too, and
/// steps are left out to make up for them.
constexpr std::size_t most_free_nodes = 20'000;
constexpr double enclosures_of_look = 3.0;
/// A place is so short beside the step. A function is looked at no closer where so many of its
/// parts were not short enough, and not at all when there are so many such places: it is at the
/// rounding errors of a zero, a direction of something that does not move. Steps in which that was
/// so twice, without a consequence, are the last ones, until it moves again.
constexpr double one_place = 0x1p-12;
constexpr int most_unresolved = 64;
constexpr int most_places = 3;
constexpr int most_futile = 2;
constexpr int most_touches = 8;  ///< the same of one that only touches the border of its domain
constexpr std::size_t most_poles = 8;
/// The step is taken again from this many tolerances on.
constexpr double significant = 10.0;
/// Crossings nearer to the ends of the step than this share of it are where it began or will end.
constexpr double end_share = 1e-7;
/// Steps of the present length that are looked at in advance.
constexpr double steps_ahead = 3.0;
/// Steps that a box reaches ahead: some more where the last one was calm, and half as many where it
/// was not. Where not even the fewest are, so many looks go by without a box.
constexpr double first_box_steps = 8.0;
constexpr double fewest_box_steps = 4.0;
constexpr double most_box_steps = 64.0;
constexpr double box_growth = 1.25;
constexpr int looks_without_box = 16;
/// A state that differs by less than so many tolerances is the same.
constexpr double known_tolerances = 100.0;
/// Of the range of a difference, and of the tolerance of its greatest value.
constexpr double rounding_share = 1e-9;
constexpr double rest_share = 0.01;
/// A wave of which a step spans more turns is seen by the error estimate, at random.
constexpr double most_turns = 16.0;
/// A pole is passed where something grows by this factor as the distance shrinks by 2⁸.
constexpr double pole_growth = 0x1p6;
/// And by this one as it shrinks by a further 2⁶.
constexpr double nearer_growth = 0x1p4;
/// What is outside its domain for all values within so many tolerances is so for certain.
constexpr double certain_tolerances = 10.0;
constexpr double few_units = 16.0;  ///< of rounding
/// Of a stretch that ends where a function leaves its domain.
constexpr int max_halvings = 60;
constexpr int n_inside = 8;  ///< pieces of a part outside the domain
/// Bounds of a function so many times above its values are those of its terms, and the parts that
/// are halved to come nearer.
constexpr double near_values = 1e3;
constexpr int most_halved = 64;
constexpr double enclosures_of_halving = 3.0;  ///< of both halves, and the point between them

double cost_of(std::size_t n_nodes) {
  return std::max(1.0, static_cast<double>(n_nodes) / nodes_at_a_time);
}

int sign(double value) {
  return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

}  // namespace

/// Parts of a step that were not short enough for a suspect.
struct StepWatch::Unresolved {
  double from = not_a_number;  ///< where they begin, near one place
  int n = 0;                   ///< there
  int n_places = 0;            ///< where there were too many

  void note(double t, double place) {
    if (!(std::abs(t - from) <= place)) {
      from = t;
      n = 0;
    }
    if (++n == most_unresolved) ++n_places;
  }
  /// Of a part that ends at t.
  [[nodiscard]] bool is_given_up(double t, double place) const {
    return n_places >= most_places || (n >= most_unresolved && std::abs(t - from) <= place);
  }
};

/// One closer look: the step, what is suspect in it and what was found.
struct StepWatch::Look {
  double t0 = 0.0;
  double t1 = 0.0;
  const integration::Stepper& stepper;
  Run& run;
  std::vector<double> x, xp;
  std::vector<double> greatest = {};  ///< value of each function over the step
  std::vector<Stretch> parts = {};
  std::vector<double> stops = {};  ///< whatever the defect says
  std::vector<Side> sides = {};    ///< of each suspect
  std::vector<double> kinks = {};
  std::vector<Bracket> brackets = {};
  std::vector<Bracket> poles = {};          ///< where there may be one
  std::vector<Unresolved> unresolved = {};  ///< by suspect
  std::vector<bool> rests = {};             ///< suspects that compare one and the same
  std::vector<std::size_t> touches = {};    ///< functions that may only touch their border
  double end = t1;                          ///< of what was looked at
  double violation = not_a_number;          ///< where a function has left its domain
  double violation_after = not_a_number;    ///< and the last instant where it had not
  std::size_t violator = 0;                 ///< a suspect
  double gentle = 1.0;                      ///< strain of a part
  int n_parts = 0;
  double given_up = not_a_number;  ///< from here on there were far too many parts
  bool has_found = false;  ///< anything but kinks: many of these are the rounding errors of a zero
  bool has_gap = false;    ///< variables have no values somewhere
  bool is_significant = false;  ///< what was found is a matter of the tolerance

  [[nodiscard]] double length() const { return t1 - t0; }
};

StepWatch::StepWatch(const WatchedFunctions& functions, const Model& model,
                     std::shared_ptr<const OutputMap> map, const WatchOptions& options)
    : functions_(&functions), map_(std::move(map)), options_(options) {
  const kernel::Enclosure& enclosure = functions_->enclosure();
  std::vector<std::size_t> position(model.variables().size(), model.variables().size());
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    const Node& node = enclosure[place];
    if (node.op == Op::time) times_.push_back(place);
    if (node.op != Op::variable || node.order > 1) continue;
    const std::size_t number = to_size(node.symbol);
    if (position[number] == model.variables().size()) {
      position[number] = variables_.size();
      variables_.push_back(number);
      nominals_.push_back(model.variables()[number].nominal);
    }
    leaves_.push_back({place, position[number], node.order == 1});
  }
  bounds_.assign(enclosure.size(), Interval::everything());
  peak_.assign(functions_->watched().size(), 0.0);
  rests_.assign(functions_->watched().size(), false);
  greatest_.assign(leaves_.size(), 0.0);
  is_told_.assign(functions_->watched().size(), false);
  n_futile_.assign(functions_->watched().size(), 0);
  n_touches_.assign(functions_->watched().size(), 0);
  credit_per_step_ =
      std::max(least_credit_per_step, whole_looks_per_step * cost_of(enclosure.size()));
  credit_ = first_credit;
  box_steps_ = first_box_steps;
  for (Sample* sample : {&left_, &right_}) {
    sample->t = not_a_number;
    sample->values.resize(variables_.size());
    sample->derivatives.resize(variables_.size());
  }
  values_.resize(map_->formulation().outputs.names.size());
  derivatives_.resize(model.variables().size());
  workspace_ = map_->make_workspace();
}

/// Everything that does not change until the next event.
bool StepWatch::hold(Run& run) {
  if (is_held_ && run.modes == modes_ && run.discretes == discretes_) return false;
  is_held_ = true;
  box_.clear();
  modes_ = run.modes;
  discretes_ = run.discretes;
  const kernel::Enclosure& enclosure = functions_->enclosure();
  const std::vector<double>& parameters = parameters_of(run);
  const auto value = [](const std::vector<double>& values, std::int32_t symbol) {
    return to_size(symbol) < values.size() ? Interval::point(values[to_size(symbol)])
                                           : Interval::everything();
  };
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    if (!enclosure.is_input(place)) continue;
    const Node& node = enclosure[place];
    if (is_relation(node.op)) {
      bounds_[place] = value(run.modes, node.symbol);
    } else if (node.op == Op::parameter) {
      bounds_[place] = value(parameters, node.symbol);
    } else if (node.op == Op::discrete) {
      bounds_[place] = value(run.discretes, node.symbol);
    } else if (node.op == Op::pre) {
      bounds_[place] = value(run.pre, node.symbol);
    } else if (node.op == Op::initial || node.op == Op::terminal || node.op == Op::sample) {
      bounds_[place] = Interval::point(0.0);
    }
  }
  enclosure.evaluate_held(bounds_);
  return true;
}

void StepWatch::read(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                     Sample& sample) {
  sample.t = t;
  if (variables_.empty()) return;
  map_->formulation().outputs.to_model(t, x, xp, run, values_, derivatives_);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    sample.values[k] = values_[variables_[k]];
    sample.derivatives[k] = derivatives_[variables_[k]];
  }
}

/// Bounds over the stretch between two samples. Variables go along the cubic through their values
/// and rates, which lies between its Bézier points v₀, v₀ + h v₀'/3, v₁ − h v₁'/3, v₁.
void StepWatch::enclose(const Sample& a, const Sample& b, std::span<const std::size_t> places) {
  bound_stretch(a, b);
  functions_->enclosure().evaluate(places, bounds_);
}

void StepWatch::bound_stretch(const Sample& a, const Sample& b) {
  const Interval stretch{std::min(a.t, b.t), std::max(a.t, b.t)};
  for (const std::size_t place : times_) bounds_[place] = stretch;
  const double third = (b.t - a.t) / 3.0;
  for (const Leaf& leaf : leaves_) {
    const double rate_a = a.derivatives[leaf.variable];
    const double rate_b = b.derivatives[leaf.variable];
    const auto [low, high] = leaf.is_derivative
                                 ? std::minmax(rate_a, rate_b)
                                 : std::minmax(a.values[leaf.variable], b.values[leaf.variable]);
    Interval range{low, high};
    const double inner_a = a.values[leaf.variable] + third * rate_a;
    const double inner_b = b.values[leaf.variable] - third * rate_b;
    if (!leaf.is_derivative && std::isfinite(inner_a) && std::isfinite(inner_b)) {
      range = hull(range, {std::min(inner_a, inner_b), std::max(inner_a, inner_b)});
    } else {
      const double margin = unknown_rate_margin * (high - low);
      range = {low - margin, high + margin};
    }
    const bool is_known = std::isfinite(range.low) && std::isfinite(range.high);
    bounds_[leaf.place] = is_known ? range : Interval::everything();
  }
}

double StepWatch::value_of(const Leaf& leaf, const Sample& sample) {
  return leaf.is_derivative ? sample.derivatives[leaf.variable] : sample.values[leaf.variable];
}

/// Bounds at one instant, which like the variables is known up to a margin.
template <class Margin>
void StepWatch::enclose_point(const Sample& sample, std::span<const std::size_t> places,
                              const Margin& margin_of, double of_time) {
  const Interval instant{sample.t - of_time, sample.t + of_time};
  for (const std::size_t place : times_) bounds_[place] = instant;
  for (const Leaf& leaf : leaves_) {
    const double value = value_of(leaf, sample);
    const double margin = margin_of(leaf, value);
    const Interval range{value - margin, value + margin};
    bounds_[leaf.place] = std::isfinite(range.width()) ? range : Interval::everything();
  }
  functions_->enclosure().evaluate(places, bounds_);
}

/// Whether the bounds leave it open on which side a difference lies, or which whole number is
/// below.
bool StepWatch::is_open(const Watched& function) const {
  const Interval difference = function.difference(bounds_);
  if (functions_->enclosure()[function.place].op == Op::floor) {
    const double jumps = std::floor(difference.high) - std::floor(difference.low);
    return jumps > 0.0 && jumps <= most_turns;
  }
  return difference.low < 0.0 && difference.high > 0.0;
}

/// Whether a difference that is 0 at one end but for rounding stays on one side of it.
bool StepWatch::is_from_zero(std::size_t suspect, const Sample& a, const Sample& b) const {
  const auto is_zero = [&](const Sample& end) {
    return !end.is_zero.empty() && end.is_zero[suspect];
  };
  if (!is_zero(a) && !is_zero(b)) return false;
  const Interval difference = functions_->watched()[suspects_[suspect]].difference(bounds_);
  const double rounding = rounding_share * difference.width();
  return difference.low >= -rounding || difference.high <= rounding;
}

/// Whether a difference stays on one side between two samples though its bounds do not tell: what
/// cancels in it, as of a state that follows another, has bounds far wider than it. As a smooth
/// curve it bends by less than its distance from 0. A kink next to 0 bends it by more. Variables
/// must go as their rates tell: within a transient that the step has not resolved they do not.
bool StepWatch::stays_on_side(std::size_t suspect, const Sample& a, const Sample& b, Look& look) {
  const double ends = std::min(std::abs(a.differences[suspect]), std::abs(b.differences[suspect]));
  const bool is_short = std::abs(b.t - a.t) <= short_part * std::abs(look.length());
  if (!is_short || sign(a.differences[suspect]) * sign(b.differences[suspect]) <= 0) return false;
  if (!functions_->is_smooth(functions_->watched()[suspects_[suspect]], bounds_)) return false;
  const double h = b.t - a.t;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const double mean = 0.5 * (a.derivatives[k] + b.derivatives[k]);
    const double fastest = std::max(std::abs(a.derivatives[k]), std::abs(b.derivatives[k]));
    const double excess = std::abs(b.values[k] - a.values[k] - h * mean);
    const double noise = noise_share * options_.rtol * std::abs(a.values[k]);
    if (!(excess <= rate_share * std::abs(h) * fastest + noise)) return false;
  }
  const double middle = sample_at(0.5 * (a.t + b.t), look).differences[suspect];
  const double bend = std::abs(a.differences[suspect] - 2.0 * middle + b.differences[suspect]);
  enclose(a, b, needed_);
  return sign(middle) == sign(a.differences[suspect]) &&
         bend <= least_bend * std::min(ends, std::abs(middle));
}

/// Whether a function is no more than a gentle curve within the bounds.
bool StepWatch::is_calm(std::size_t number) const {
  const Watched& function = functions_->watched()[number];
  const bool has_sides =
      function.kind != Watched::Kind::steep && function.kind != Watched::Kind::divisor;
  return has_sides ? !is_open(function) : functions_->strain(function, bounds_) <= 1.0;
}

bool StepWatch::is_suspect(std::size_t number) const {
  const Watched& function = functions_->watched()[number];
  if (!functions_->is_chosen(number, bounds_)) return false;
  if (!is_calm(number) && n_futile_[number] < most_futile) {
    const Op op = functions_->enclosure()[function.place].op;
    const bool is_wave = op == Op::sin || op == Op::cos;
    const bool is_noise = is_wave ? functions_->strain(function, bounds_) > most_turns
                                  : rests_[number] && is_next_to_nothing(number);
    if (!is_noise) return true;
  }
  return function.kind == Watched::Kind::steep && !is_told_[number] &&
         n_touches_[number] < most_touches && functions_->beyond_domain(function, bounds_) > 0.0;
}

/// Beside what it was.
bool StepWatch::is_next_to_nothing(std::size_t number) const {
  const double size = functions_->watched()[number].difference(bounds_).magnitude();
  return size < rest_share * options_.rtol * peak_[number];
}

/// Finds out which differences are at rest: next to nothing beside what they were, and 0 at both
/// ends for all that is known of the variables. A high power is next to nothing far from its zero.
void StepWatch::find_rests() {
  candidates_.clear();
  for (std::size_t i = 0; i < rests_.size(); ++i) {
    const Watched& function = functions_->watched()[i];
    rests_[i] = false;
    if (function.kind == Watched::Kind::steep || function.kind == Watched::Kind::divisor) continue;
    if (is_open(function) && is_next_to_nothing(i)) candidates_.push_back(i);
  }
  if (candidates_.empty()) return;
  for (const std::size_t i : candidates_) rests_[i] = true;
  for (const Sample* end : {&left_, &right_}) {
    enclose_point(*end, functions_->arguments(), [&](const Leaf& leaf, double) {
      return rest_share * options_.rtol * greatest_[static_cast<std::size_t>(&leaf - &leaves_[0])];
    });
    for (const std::size_t i : candidates_) {
      rests_[i] = rests_[i] && functions_->watched()[i].difference(bounds_).contains(0.0);
    }
  }
  enclose(left_, right_, functions_->arguments());
}

void StepWatch::find_suspects() {
  suspects_.clear();
  for (std::size_t i = 0; i < functions_->watched().size(); ++i) {
    if (is_suspect(i)) suspects_.push_back(i);
  }
  if (suspects_.empty()) return;
  // What follows any of these by equations that are to be solved may change with it.
  for (std::size_t i = 0; i < functions_->watched().size(); ++i) {
    if (functions_->watched()[i].is_implicit && !is_suspect(i)) suspects_.push_back(i);
  }
}

/// Bounds over a length of time to come: variables go on at their rates, which change twice as fast
/// as they did within the step. False where there are none.
bool StepWatch::bound_ahead(double length) {
  const double ahead = std::copysign(length, right_.t - left_.t);
  for (const std::size_t place : times_) {
    bounds_[place] = {std::min(right_.t, right_.t + ahead), std::max(right_.t, right_.t + ahead)};
  }
  for (const Leaf& leaf : leaves_) {
    const double rate = right_.derivatives[leaf.variable];
    const double change =
        2.0 * std::abs((rate - left_.derivatives[leaf.variable]) / (right_.t - left_.t)) * length;
    const double value = right_.values[leaf.variable];
    const double margin = 0.5 * change * length;
    const Interval range = leaf.is_derivative
                               ? Interval{rate - change, rate + change}
                               : Interval{value + std::min(rate * ahead, 0.0) - margin,
                                          value + std::max(rate * ahead, 0.0) + margin};
    if (!std::isfinite(range.width())) return false;
    bounds_[leaf.place] = range;
  }
  return true;
}

/// Whether nothing can happen over a length of time to come.
bool StepWatch::is_safe_ahead(double length) {
  if (!bound_ahead(length)) return false;
  functions_->enclosure().evaluate(functions_->arguments(), bounds_);
  find_suspects();
  return suspects_.empty();
}

/// Bounds of the variables within which every function is calm, whatever else they do: steps that
/// stay inside need not be looked at, and to see that costs next to nothing.
void StepWatch::make_box(double length) {
  box_.clear();
  if (box_pause_ > 0) {
    --box_pause_;
    return;
  }
  bool is_calm_throughout = bound_ahead(box_steps_ * length);
  if (is_calm_throughout) functions_->enclosure().evaluate(functions_->arguments(), bounds_);
  for (std::size_t i = 0; i < functions_->watched().size() && is_calm_throughout; ++i) {
    if (!functions_->is_chosen(i, bounds_)) continue;
    const Watched& function = functions_->watched()[i];
    const bool has_domain = function.kind == Watched::Kind::steep;
    is_calm_throughout =
        is_calm(i) && !(has_domain && functions_->beyond_domain(function, bounds_) > 0.0);
  }
  if (!is_calm_throughout) {
    if (box_steps_ == fewest_box_steps) box_pause_ = looks_without_box;
    box_steps_ = std::max(0.5 * box_steps_, fewest_box_steps);
    return;
  }
  box_steps_ = std::min(box_growth * box_steps_, most_box_steps);
  for (const std::size_t place : times_) box_.push_back(bounds_[place]);
  for (const Leaf& leaf : leaves_) box_.push_back(bounds_[leaf.place]);
}

bool StepWatch::is_in_box() const {
  if (box_.empty()) return false;
  auto box = box_.begin();
  const auto is_inside = [&](std::size_t place) {
    const Interval& range = *box++;
    return range.low <= bounds_[place].low && bounds_[place].high <= range.high;
  };
  return std::ranges::all_of(times_, is_inside) &&
         std::ranges::all_of(leaves_, is_inside, &Leaf::place);
}

/// Whether the end of the last step that was looked at is the start of this one: a projection moves
/// it by a few tolerances only.
bool StepWatch::is_known(const integration::Ray& from) const {
  if (right_.t != from.t || right_x_.size() != from.x.size()) return false;
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    const double size = options_.rtol * std::abs(from.x[i]) + options_.atol;
    if (!(std::abs(from.x[i] - right_x_[i]) <= known_tolerances * size)) return false;
  }
  return true;
}

const Inspection* StepWatch::inspect(const integration::Ray& from, const integration::Ray& to,
                                     const integration::Stepper& stepper, Run& run) {
  const double length = std::abs(to.t - from.t);
  const bool has_changed = hold(run);
  credit_ += credit_per_step_;
  const double direction = to.t > from.t ? 1.0 : -1.0;
  if (!has_changed && (safe_until_ - to.t) * direction >= 0.0) return nullptr;
  const bool is_counted = bounds_.size() > most_free_nodes;
  if (is_counted && credit_ < 0.0) {
    give_up(from.t, run);
    return nullptr;
  }
  if (!has_changed && is_known(from)) {
    std::swap(left_, right_);
  } else {
    read(from.t, from.x, from.xp, run, left_);
  }
  read(to.t, to.x, to.xp, run, right_);
  right_x_.assign(to.x.begin(), to.x.end());
  const double ahead = steps_ahead * length;
  bound_stretch(left_, right_);
  if (is_in_box()) {
    const bool is_safe = bound_ahead(ahead) && is_in_box();
    safe_until_ = is_safe ? to.t + direction * ahead : not_a_number;
    return nullptr;
  }
  if (is_counted) credit_ -= enclosures_of_look * cost_of(bounds_.size());
  functions_->enclosure().evaluate(functions_->arguments(), bounds_);
  for (std::size_t i = 0; i < peak_.size(); ++i) {
    const double size = functions_->watched()[i].difference(bounds_).magnitude();
    if (std::isfinite(size)) peak_[i] = std::max(peak_[i], size);
  }
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    for (const Sample* end : {&left_, &right_}) {
      const double size = std::abs(value_of(leaves_[i], *end));
      if (std::isfinite(size)) greatest_[i] = std::max(greatest_[i], size);
    }
  }
  for (std::size_t i = 0; i < n_futile_.size(); ++i) {
    if (n_futile_[i] > 0 && is_calm(i)) n_futile_[i] = 0;
  }
  find_rests();
  find_suspects();
  safe_until_ = not_a_number;
  if (suspects_.empty()) {
    make_box(length);
    const bool is_safe = !box_.empty() || is_safe_ahead(ahead);
    if (is_safe) safe_until_ = to.t + direction * ahead;
    return nullptr;
  }
  Look look{.t0 = from.t,
            .t1 = to.t,
            .stepper = stepper,
            .run = run,
            .x = std::vector<double>(from.x.size()),
            .xp = std::vector<double>(from.x.size())};
  inspection_ = {};
  look_closer(look);
  // What is solved for inside the equations is followed from its last values: those of the end.
  read(to.t, to.x, to.xp, run, right_);
  credit_ -= cost_of(needed_.size()) * look.n_parts;
  if (!look.is_significant && is_success(inspection_.status)) {
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      if (look.unresolved[i].n_places >= most_places) ++n_futile_[suspects_[i]];
    }
    std::ranges::sort(look.touches);
    look.touches.erase(std::unique(look.touches.begin(), look.touches.end()), look.touches.end());
    for (const std::size_t number : look.touches) ++n_touches_[number];
    if (inspection_.stops.empty()) return nullptr;
  }
  // The step is taken again: what is known of its end is of no use.
  if (!inspection_.stops.empty()) right_ = std::exchange(left_, right_);
  return &inspection_;
}

void StepWatch::note_differences(Sample& sample) {
  enclose_point(sample, needed_, [](const Leaf&, double) { return 0.0; });
  sample.differences.clear();
  for (const std::size_t number : suspects_) {
    const Interval difference = functions_->watched()[number].difference(bounds_);
    // Where the variables could not be solved for, it has no sign.
    sample.differences.push_back(difference.is_point() ? difference.low : not_a_number);
  }
}

/// Notes which differences are 0 at an end of the step, for all that the rounding of the variables
/// lets one tell: it is that of what they pass through within the step.
void StepWatch::note_zeros(Sample& end, double length) {
  enclose_point(
      end, needed_,
      [&](const Leaf& leaf, double) {
        return rounding_share * std::abs(value_of(leaf, right_) - value_of(leaf, left_));
      },
      rounding_share * length);
  end.is_zero.clear();
  for (const std::size_t number : suspects_) {
    end.is_zero.push_back(functions_->watched()[number].difference(bounds_).contains(0.0));
  }
}

/// Variables have no values there, though they have at both ends of the step.
bool StepWatch::has_gap(const Sample& sample) const {
  for (std::size_t k = 0; k < sample.values.size(); ++k) {
    const bool has_ends = std::isfinite(left_.values[k]) && std::isfinite(right_.values[k]);
    if (has_ends && !std::isfinite(sample.values[k])) return true;
  }
  return false;
}

StepWatch::Sample StepWatch::sample_at(double t, Look& look) {
  Sample sample{.t = t,
                .values = std::vector<double>(variables_.size()),
                .derivatives = std::vector<double>(variables_.size()),
                .differences = {},
                .is_zero = {}};
  if (!variables_.empty()) {
    look.stepper.interpolate(t, look.x, look.xp);
    const auto* system = map_->formulation().explicit_system.get();
    if (system != nullptr && system->has_complete() &&
        system->complete(t, look.x, look.run) != Evaluation::ok) {
      look.stepper.interpolate(t, look.x, look.xp);
      look.run.failure = {};
    }
    read(t, look.x, look.xp, look.run, sample);
    look.has_gap = look.has_gap || has_gap(sample);
  }
  note_differences(sample);
  return sample;
}

/// Whether a function is undefined for all arguments within the bounds.
bool StepWatch::is_beyond_throughout(const Watched& function) {
  if (!(functions_->beyond_domain(function, bounds_) > 0.0)) return false;
  Interval& a = bounds_[function.a];
  std::swap(a.low, a.high);
  const bool is_so = functions_->beyond_domain(function, bounds_) > 0.0;
  std::swap(a.low, a.high);
  return is_so;
}

/// Looks for an instant between two samples at which a function is certainly undefined: it is so in
/// all of the part by its values, but these have errors, which are less far inside.
void StepWatch::search_violation(Look& look, const Sample& a, const Sample& b) {
  for (int k = 1; k < n_inside && std::isnan(look.violation); ++k) {
    note_violation(look, a, sample_at(a.t + (b.t - a.t) * k / n_inside, look));
  }
  enclose(a, b, needed_);
}

/// A function that is certainly undefined at an instant, whatever the errors of the variables.
void StepWatch::note_violation(Look& look, const Sample& before, const Sample& at) {
  if (!std::isnan(look.violation)) return;
  enclose_point(at, needed_, [&](const Leaf& leaf, double value) {
    const double size = std::max(
        {std::abs(value), std::abs(value_of(leaf, left_)), std::abs(value_of(leaf, right_))});
    return certain_tolerances * (options_.rtol * size + options_.atol * nominals_[leaf.variable]);
  });
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const std::size_t number = suspects_[i];
    const Watched& function = functions_->watched()[number];
    if (function.kind != Watched::Kind::steep || is_told_[number]) continue;
    if (!is_beyond_throughout(function) || !functions_->is_chosen(number, bounds_) ||
        std::isinf(bounds_[function.a].magnitude())) {
      continue;
    }
    look.violation = at.t;
    look.violation_after = before.t;
    look.violator = i;
    return;
  }
}

/// Whether all suspects are gentle between two samples, or nothing more can be told.
bool StepWatch::is_resolved(Look& look, const Sample& a, const Sample& b, Stretch& part) {
  enclose(a, b, needed_);
  const double share = std::abs((b.t - a.t) / look.length());
  const double scale = std::max(std::abs(a.t), std::abs(look.length()));
  const bool is_at_clock = std::abs(b.t - a.t) <= 4.0 * round_off * scale;
  bool is_resolved = true;
  const std::size_t n_kinks = look.kinks.size();
  const std::size_t n_poles = look.poles.size();
  const std::size_t n_brackets = look.brackets.size();
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const std::size_t number = suspects_[i];
    const Watched& function = functions_->watched()[number];
    const double place = one_place * std::abs(look.length());
    if (look.rests[i] || look.unresolved[i].is_given_up(b.t, place)) continue;
    if (!functions_->is_chosen(number, bounds_)) continue;
    const int sign_a = sign(a.differences[i]);
    const int sign_b = sign(b.differences[i]);
    const bool is_last = is_at_clock || (!function.is_of_time && share <= shortest_part);
    const auto note_unresolved = [&] { look.unresolved[i].note(a.t, place); };
    switch (function.kind) {
      case Watched::Kind::steep: {
        const bool is_known = !std::isnan(look.violation) && look.violator == i;
        if (!is_told_[number] && !is_known && functions_->beyond_domain(function, bounds_) > 0.0) {
          // Halves of a part that is outside as a whole tell no more.
          const bool is_outside = is_beyond_throughout(function);
          if (is_outside) search_violation(look, a, b);
          if (is_last) note_unresolved();
          if (is_last || is_outside) look.touches.push_back(number);
          is_resolved = is_resolved && (is_last || is_outside);
        }
        if (functions_->is_flat(number, bounds_, look.greatest, flat_share * options_.rtol)) break;
        const double strain = functions_->strain(function, bounds_);
        if (strain <= look.gentle) {
          part.is_active = true;
        } else if (!is_last) {
          is_resolved = false;
        } else {
          note_unresolved();
          const bool may_be_pole = std::isinf(strain) && functions_->has_pole(function);
          if (may_be_pole && look.poles.size() < most_poles) look.poles.push_back({a.t, b.t, i});
        }
        break;
      }
      case Watched::Kind::divisor:
        if (!bounds_[function.a].contains(0.0)) break;
        if (is_last) note_unresolved();
        if (is_last && look.poles.size() < most_poles) look.poles.push_back({a.t, b.t, i});
        is_resolved = is_resolved && is_last;
        break;
      case Watched::Kind::relation: {
        const bool is_one = sign_a != sign_b && share <= shortest_crossing;
        if (!is_open(function) || is_from_zero(i, a, b) || is_one) break;
        if (stays_on_side(i, a, b, look)) break;
        if (is_last) note_unresolved();
        is_resolved = is_resolved && is_last;
        break;
      }
      case Watched::Kind::kink:
      case Watched::Kind::jump: {
        const bool is_floor = functions_->enclosure()[function.place].op == Op::floor;
        if (!is_open(function)) break;
        if (!is_floor && (is_from_zero(i, a, b) || stays_on_side(i, a, b, look))) break;
        const bool crosses = !is_floor && sign_a * sign_b < 0;
        if (crosses && share <= coarse_part) {
          look.brackets.push_back({a.t, b.t, i});
          break;
        }
        if (is_last && is_floor) look.kinks.push_back(b.t);
        if (is_last && !is_floor) note_unresolved();
        is_resolved = is_resolved && is_last;
        break;
      }
    }
  }
  if (!is_resolved) {
    // What was found here will be found again in the halves.
    look.kinks.resize(n_kinks);
    look.poles.resize(n_poles);
    look.brackets.resize(n_brackets);
  }
  return is_resolved;
}

/// Finds the relations that compare what is the same by the equations, as abs(i) <= G*abs(v) does
/// while i = G*v: there is no more than rounding errors between them anywhere in the step, and what
/// these do is no event. Bounds of both are of no use, for they do not know of the equation.
void StepWatch::find_ties(Look& look, const Sample& begin, const Sample& end) {
  look.rests.assign(suspects_.size(), false);
  std::vector<double> noise(suspects_.size(), 0.0);
  bool has_tie = false;
  const auto is_tie = [&](std::size_t i, const Sample& sample) {
    return std::abs(sample.differences[i]) <= noise[i];
  };
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const Watched& function = functions_->watched()[suspects_[i]];
    if (function.kind != Watched::Kind::relation || function.is_of_time) continue;
    const double size = bounds_[function.a].magnitude();
    if (!(size > 0.0) || !std::isfinite(size) || !function.has_b) continue;
    noise[i] = shortest_part * size;
    look.rests[i] = is_tie(i, begin) && is_tie(i, end);
    has_tie = has_tie || look.rests[i];
  }
  if (!has_tie) return;
  for (const double share : tie_shares) {
    const Sample sample = sample_at(look.t0 + share * look.length(), look);
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      look.rests[i] = look.rests[i] && is_tie(i, sample);
    }
  }
}

/// Steps end within every stretch in which a relation is on one side, but for the first and the
/// last one of this step: then each change is the only one in its step.
void StepWatch::note_sides(Look& look, const Sample& here) {
  look.sides.resize(suspects_.size());
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    if (functions_->watched()[suspects_[i]].kind != Watched::Kind::relation) continue;
    if (look.rests[i]) continue;
    Side& side = look.sides[i];
    const double difference = here.differences[i];
    if (sign(difference) * sign(side.farthest) < 0) {
      look.has_found = true;
      if (side.n_changes++ > 0) look.stops.push_back(side.t);
      side.farthest = 0.0;
    }
    if (std::abs(difference) > std::abs(side.farthest)) {
      side.farthest = difference;
      side.t = here.t;
    }
  }
}

/// A bound of the values of a function over the step that is near one of them. Bounds by intervals
/// may lie far above all, as those of exp(u - exp(u)) do, and beside them nothing would be more
/// than flat: the part with the greatest bound is halved again and again.
double StepWatch::greatest_value(std::size_t number, double value, Look& look) {
  struct Piece {
    Sample begin, end;
    double bound;
  };
  const std::size_t place = functions_->watched()[number].place;
  const auto piece = [&](const Sample& a, const Sample& b) {
    enclose(a, b, needed_);
    return Piece{a, b, bounds_[place].magnitude()};
  };
  std::vector<Piece> pieces{piece(left_, right_)};
  for (int k = 0; k < most_halved && credit_ > 0.0; ++k) {
    credit_ -= enclosures_of_halving * cost_of(needed_.size());
    const auto greatest = std::ranges::max_element(pieces, {}, &Piece::bound);
    if (greatest->bound <= near_values * value || !std::isfinite(greatest->bound)) break;
    const Piece halved = std::move(*greatest);
    const Sample middle = sample_at(0.5 * (halved.begin.t + halved.end.t), look);
    if (bounds_[place].is_point()) value = std::max(value, bounds_[place].magnitude());
    *greatest = piece(halved.begin, middle);
    pieces.push_back(piece(middle, halved.end));
  }
  const double bound = std::ranges::max(pieces, {}, &Piece::bound).bound;
  return std::isfinite(bound) ? bound : 0.0;
}

/// `values`: of all functions, at the ends of the step.
void StepWatch::tighten_greatest(Look& look, std::span<const double> values) {
  for (const std::size_t suspect : suspects_) {
    if (functions_->watched()[suspect].kind != Watched::Kind::steep) continue;
    for (std::size_t number = suspect;; number = functions_->watched()[number].cover) {
      double& greatest = look.greatest[number];
      const bool is_near = greatest <= near_values * values[number];
      if (!is_near) greatest = greatest_value(number, values[number], look);
      if (!functions_->watched()[number].is_covered) break;
    }
  }
}

void StepWatch::look_closer(Look& look) {
  needed_ = functions_->needed_for(suspects_);
  enclose(left_, right_, needed_);
  look.greatest = functions_->greatest(bounds_);
  // The ends with the states that the run has there.
  Sample here = left_;
  Sample last = right_;
  note_differences(here);
  std::vector<double> values = functions_->greatest(bounds_);
  note_differences(last);
  std::ranges::transform(values, functions_->greatest(bounds_), values.begin(),
                         [](double a, double b) { return std::max(a, b); });
  tighten_greatest(look, values);
  note_zeros(here, std::abs(look.length()));
  note_zeros(last, std::abs(look.length()));
  enclose(left_, right_, needed_);
  find_ties(look, here, last);
  note_sides(look, here);
  look.unresolved.resize(suspects_.size());
  const bool has_implicit = std::ranges::any_of(
      suspects_, [&](std::size_t i) { return functions_->watched()[i].is_implicit; });
  if (has_implicit) look.gentle = implicit_strain;
  std::vector<Sample> ahead{std::move(last)};
  double half_way = not_a_number;
  const bool can_shorten = options_.can_repeat && credit_ > 0.0;
  const double cost = cost_of(needed_.size());
  const int affordable = static_cast<int>(std::clamp(std::max(double{min_parts}, credit_) / cost,
                                                     double{least_parts}, double{most_parts}));
  while (!ahead.empty()) {
    ++look.n_parts;
    const bool has_come_far =
        std::abs(here.t - look.t0) >= least_progress * std::abs(look.length());
    if (std::isnan(half_way) && 2 * look.n_parts >= max_parts && has_come_far) half_way = here.t;
    // What is taken again up to half of the way will be looked at to its end.
    if (can_shorten && look.has_found && look.n_parts > max_parts && !std::isnan(half_way)) {
      look.end = half_way;
      break;
    }
    Stretch part{here.t, ahead.back().t};
    const int most = look.has_found ? most_parts : max_parts;
    const bool is_given_up = look.n_parts > std::min(most, affordable);
    if (is_given_up && look.has_found && std::isnan(look.given_up)) look.given_up = here.t;
    if (is_given_up || is_resolved(look, here, ahead.back(), part)) {
      look.parts.push_back(part);
      look.has_found = look.has_found || part.is_active;
      here = std::move(ahead.back());
      ahead.pop_back();
      note_sides(look, here);
      continue;
    }
    Sample middle = sample_at(0.5 * (here.t + ahead.back().t), look);
    note_violation(look, here, middle);
    ahead.push_back(std::move(middle));
  }
  conclude(look);
}

/// The bracket of a change of sign shrunk next to it.
StepWatch::Bracket StepWatch::crossing(const Bracket& bracket, Look& look) {
  const auto difference = [&](double t) { return sample_at(t, look).differences[bracket.suspect]; };
  const double tolerance = std::abs(look.length()) * end_share * 1e-3;
  const double before = difference(bracket.begin);
  const double after = difference(bracket.end);
  if (sign(before) * sign(after) >= 0) return {bracket.end, bracket.end, bracket.suspect};
  const auto found = integration::shrink_bracket(
      {.a = bracket.begin, .value_a = before, .b = bracket.end, .value_b = after}, tolerance,
      difference);
  return {found.a, found.b, bracket.suspect};
}

/// The last instant before a crossing and the first one beyond at which rounding errors of the two
/// sides do not decide: the step from there must begin on the other side.
StepWatch::Bracket StepWatch::about_crossing(const Bracket& bracket, Look& look) {
  Bracket found = crossing(bracket, look);
  const double t = found.end;
  const auto difference = [&](double at) {
    return sample_at(at, look).differences[bracket.suspect];
  };
  const double rate = std::abs((difference(bracket.end) - difference(bracket.begin)) /
                               (bracket.end - bracket.begin));
  (void)sample_at(t, look);
  const Watched& function = functions_->watched()[suspects_[bracket.suspect]];
  const double size =
      bounds_[function.a].magnitude() + (function.has_b ? bounds_[function.b].magnitude() : 0.0);
  const double way = few_units * round_off * std::max(size / rate, std::abs(t));
  if (std::isfinite(way) && way < end_share * std::abs(look.length())) {
    found.begin -= std::copysign(way, look.length());
    found.end += std::copysign(way, look.length());
  }
  return found;
}

/// All that a run computes: outputs, then rates or residuals.
std::vector<double> StepWatch::row_at(double t, Look& look) {
  look.stepper.interpolate(t, look.x, look.xp);
  const auto* system = map_->formulation().explicit_system.get();
  if (system != nullptr && system->has_complete()) (void)system->complete(t, look.x, look.run);
  std::vector<double> row(map_->names().size());
  map_->evaluate(t, look.x, look.xp, look.run, row, workspace_);
  std::vector<double> rates(look.x.size());
  if (system != nullptr) {
    (void)system->rhs(t, look.x, look.run, rates);
  } else {
    const auto* implicit = map_->formulation().implicit_system.get();
    rates.resize(to_size(implicit->size() + implicit->n_constraints()));
    (void)implicit->residual(t, look.x, look.xp, look.run, rates);
  }
  row.insert(row.end(), rates.begin(), rates.end());
  look.run.failure = {};
  return row;
}

/// What grows beyond all bounds towards t: a column of a row, one of the equations where there is.
std::optional<std::size_t> StepWatch::pole_at(double t, Look& look) {
  const double side = std::abs(look.t1 - t) > 0x1p-8 * std::abs(look.length()) ? 1.0 : -1.0;
  const std::vector<double> far = row_at(t + side * 0x1p-9 * look.length(), look);
  const std::vector<double> near = row_at(t + side * 0x1p-17 * look.length(), look);
  const std::vector<double> nearer = row_at(t + side * 0x1p-23 * look.length(), look);
  for (std::size_t i = near.size(); i-- > 0;) {
    const bool grows = std::abs(near[i]) > pole_growth * std::abs(far[i]) && far[i] != 0.0 &&
                       !(std::abs(nearer[i]) <= nearer_growth * std::abs(near[i]));
    if (grows) return i;
  }
  return std::nullopt;
}

/// Whether a choice falls on something else where the divisor is 0: if abs(i) > eps then psi / i.
bool StepWatch::is_avoided(std::size_t suspect, double t, Look& look) {
  const std::size_t number = suspects_[suspect];
  const std::size_t divisor = functions_->watched()[number].a;
  if (!functions_->enclosure().is_input(divisor)) return false;
  (void)sample_at(t, look);
  bounds_[divisor] = {0.0, 0.0};
  functions_->enclosure().evaluate(needed_, bounds_);
  return !functions_->is_chosen(number, bounds_);
}

/// Where an equation has no value the run ends; where only an output has none, that is kept in
/// mind.
bool StepWatch::ends_at(double t, std::size_t column, std::size_t suspect, std::string_view what) {
  const std::size_t n_outputs = map_->names().size();
  const std::string whose =
      column < n_outputs ? fmt::format("'{}'", map_->names()[column]) : "the right-hand side";
  std::string message = fmt::format("At t = {:.12g} {} {}.", t, whose, what);
  if (column < n_outputs) {
    is_told_[suspects_[suspect]] = true;
    if (!undefined_) undefined_ = {t, std::move(message)};
    return false;
  }
  inspection_.status = Status::non_finite_value;
  inspection_.message = std::move(message);
  inspection_.end = t;
  return true;
}

/// Whether the run cannot go through the step, because an equation has no value in it.
bool StepWatch::ends_here(Look& look) {
  if (map_->formulation().watch.may_lack_values) return false;
  for (const Bracket& bracket : look.poles) {
    const double t = crossing(bracket, look).end;
    const bool is_later = std::abs(look.violation - look.t0) < std::abs(t - look.t0);
    if (is_later) break;
    if (is_avoided(bracket.suspect, t, look)) continue;
    const auto column = pole_at(t, look);
    if (!column) {
      // An unknown of the integrator's own is smooth in its dense output: steps must come near.
      const Watched& function = functions_->watched()[suspects_[bracket.suspect]];
      if (function.kind == Watched::Kind::divisor) look.kinks.push_back(t);
    } else if (ends_at(t, *column, bracket.suspect, "grows beyond all bounds: it has a pole")) {
      return true;
    }
  }
  if (std::isnan(look.violation)) return false;
  const std::vector<double> row = row_at(look.violation, look);
  std::size_t column = row.size();
  while (column > 0 && std::isfinite(row[column - 1])) --column;
  if (column == 0) return false;
  const Watched& function = functions_->watched()[suspects_[look.violator]];
  const auto is_beyond = [&](double t) {
    (void)sample_at(t, look);
    return functions_->beyond_domain(function, bounds_) > 0.0;
  };
  double inside = look.violation_after;
  double outside = look.violation;
  // The sample before may have been outside too, but not beyond doubt.
  for (double width = outside - inside; inside != look.t0 && is_beyond(inside); width *= 2.0) {
    outside = inside;
    const bool is_at_start = std::abs(width) >= std::abs(inside - look.t0);
    inside = is_at_start ? look.t0 : inside - width;
  }
  for (int k = 0; k < max_halvings; ++k) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (is_beyond(middle) ? outside : inside) = middle;
  }
  return ends_at(inside, column - 1, look.violator,
                 fmt::format("has no finite value any more: the argument of {} leaves its domain",
                             functions_->name(function)));
}

void StepWatch::give_up(double t, Run& run) {
  if (std::exchange(has_given_up_, true)) return;
  run.warnings.push_back(fmt::format(
      "From t = {:.9g} on steps were not all looked into to their ends, which would cost more than "
      "the steps: bumps and events that are shorter than these may be missing. Set max_step.",
      t));
}

void StepWatch::conclude(Look& look) {
  const bool is_over = ends_here(look);
  using Stop = Inspection::Stop;
  std::vector<Stop> stops;
  for (const Bracket& bracket : look.brackets) {
    const Bracket about = about_crossing(bracket, look);
    look.kinks.push_back(about.end);
    // A step that ends beyond a jump has seen its other side, for all its length.
    const auto kind = functions_->watched()[suspects_[bracket.suspect]].kind;
    if (kind == Watched::Kind::jump) stops.push_back({about.begin});
  }
  const double margin = end_share * std::abs(look.length());
  const auto is_inside = [&](double t) {
    return std::abs(t - look.t0) > margin && std::abs(look.t1 - t) > margin &&
           std::abs(t - look.t0) <= std::abs(look.end - look.t0) &&
           (!is_over || std::abs(t - look.t0) < std::abs(inspection_.end - look.t0));
  };
  for (const Stretch& part : look.parts) {
    if (part.is_active) stops.insert(stops.end(), {Stop{part.begin}, Stop{part.end}});
  }
  for (const double t : look.kinks) stops.push_back({t, true});
  std::erase_if(stops, [&](const Stop& stop) { return !is_inside(stop.t); });
  if (!stops.empty()) {
    const auto is_earlier = [&](double a, double b) { return (b - a) * look.length() > 0.0; };
    std::vector<double> borders{look.end};
    for (const Stop& stop : stops) borders.push_back(stop.t);
    for (const Stretch& part : look.parts) {
      if (is_earlier(part.begin, look.end)) borders.push_back(part.begin);
    }
    std::ranges::sort(borders, is_earlier);
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::vector<Part> parts;
    for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
      if (is_over && is_earlier(inspection_.end, borders[k + 1])) break;
      parts.push_back({borders[k], borders[k + 1]});
    }
    if (!defect_) {
      defect_.emplace(map_->formulation().system(),
                      integration::WeightOptions{.rtol = options_.rtol,
                                                 .atol = options_.atol,
                                                 .follows_scales = options_.follows_scales});
    }
    if (!options_.is_kept && defect_->measure(parts, look.stepper, look.run) <= significant) {
      stops.clear();
    }
  }
  // What is solved for inside the equations has a singular point in the step, and has passed it:
  // stops would be next to it.
  if (look.has_gap && std::isnan(look.violation)) {
    stops.clear();
    look.stops.clear();
    look.end = look.t1;
  }
  look.is_significant = !stops.empty();
  if (look.end != look.t1) look.stops.push_back(look.end);
  for (const double t : look.stops) {
    if (is_inside(t)) stops.push_back({t});
  }
  if (!std::isnan(look.given_up)) give_up(look.given_up, look.run);
  if (options_.can_repeat) {
    inspection_.stops = std::move(stops);
  } else if (!stops.empty() && !std::exchange(has_warned_, true)) {
    look.run.warnings.push_back(fmt::format(
        "Between t = {:.9g} and t = {:.9g} the equations change faster than the fixed step can "
        "follow. Shorten the step.",
        look.t0, look.t1));
  }
}

}  // namespace daedal::solve_detail
