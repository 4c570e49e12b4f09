// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/step_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
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
/// A function whose bounds lie this close together, by the relative tolerance and its greatest
/// value over the step, is flat.
constexpr double flat_share = 1e-3;
/// The shortest part of a step that is looked at, and the longest one in which a change of sign is
/// taken to be the only one.
constexpr double shortest_part = 0x1p-26;
constexpr double coarse_part = 0.25;
/// Where nothing but bounds speaks for a change of sign and back, parts end here.
constexpr double shortest_touch = 0x1p-16;
/// Parts of a step that are looked at; what needs more is left to shorter steps. In the long run
/// there are a few parts for each step, so that looking costs no more than stepping.
constexpr int max_parts = 1000;
constexpr int min_parts = 16;
constexpr double first_credit = 5000.0;
constexpr double credit_per_step = 2.0;
/// A function that no part was short enough for, so often without a consequence, is at the rounding
/// errors of a zero: a direction of something that does not move.
constexpr int most_futile = 2;
constexpr int most_touches = 8;  ///< the same of one that only touches the border of its domain
constexpr std::size_t most_poles = 8;
/// The step is taken again from this many tolerances on.
constexpr double significant = 10.0;
/// Crossings nearer to the ends of the step than this share of it are where it began or will end.
constexpr double end_share = 1e-7;
/// Steps of the present length that are looked at in advance.
constexpr double steps_ahead = 3.0;
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
/// Of a stretch that ends where a function leaves its domain.
constexpr int max_halvings = 60;

int sign(double value) {
  return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

}  // namespace

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
  std::vector<double> kinks = {};
  std::vector<Bracket> brackets = {};
  std::vector<Bracket> poles = {};           ///< where there may be one
  std::vector<std::size_t> unresolved = {};  ///< functions that no part was short enough for
  int max_parts = 0;
  double violation = not_a_number;        ///< where a function has left its domain
  double violation_after = not_a_number;  ///< and the last instant where it had not
  std::size_t violator = 0;               ///< a suspect
  int n_parts = 0;
  double left_alone = not_a_number;  ///< from here on the parts were too many

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
  credit_ = first_credit;
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
  functions_->enclosure().evaluate(places, bounds_);
}

double StepWatch::value_of(const Leaf& leaf, const Sample& sample) {
  return leaf.is_derivative ? sample.derivatives[leaf.variable] : sample.values[leaf.variable];
}

/// Bounds at one instant, which like the variables is known up to a margin.
template <class Margin>
void StepWatch::enclose_point(const Sample& sample, const Margin& margin_of, double of_time) {
  const Interval instant{sample.t - of_time, sample.t + of_time};
  for (const std::size_t place : times_) bounds_[place] = instant;
  for (const Leaf& leaf : leaves_) {
    const double value = value_of(leaf, sample);
    const double margin = margin_of(leaf, value);
    const Interval range{value - margin, value + margin};
    bounds_[leaf.place] = std::isfinite(range.width()) ? range : Interval::everything();
  }
  functions_->enclosure().evaluate(functions_->arguments(), bounds_);
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

bool StepWatch::is_suspect(std::size_t number) const {
  const Watched& function = functions_->watched()[number];
  if (!functions_->is_chosen(number, bounds_)) return false;
  if (function.kind == Watched::Kind::steep || function.kind == Watched::Kind::divisor) {
    const double strain = functions_->strain(function, bounds_);
    const Op op = functions_->enclosure()[function.place].op;
    const bool is_noise = ((op == Op::sin || op == Op::cos) && strain > most_turns) ||
                          n_futile_[number] >= most_futile;
    return (strain > 1.0 && !is_noise) || (!is_told_[number] && n_futile_[number] < most_touches &&
                                           functions_->beyond_domain(function, bounds_) > 0.0);
  }
  return is_open(function) && !(rests_[number] && is_next_to_nothing(number));
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
    enclose_point(*end, [&](const Leaf& leaf, double) {
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
}

/// Whether nothing can happen over a length of time to come: variables go on at their rates, which
/// change twice as fast as they did within the step.
bool StepWatch::is_safe_ahead(double length) {
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
  functions_->enclosure().evaluate(functions_->arguments(), bounds_);
  find_suspects();
  return suspects_.empty();
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

const Inspection* StepWatch::inspect(const integration::Ray& from,
                                     const integration::StepReport& step,
                                     const integration::Stepper& stepper, Run& run) {
  const double length = std::abs(step.t1 - from.t);
  const bool has_changed = hold(run);
  credit_ += credit_per_step;
  const double direction = step.t1 > from.t ? 1.0 : -1.0;
  if (!has_changed && (safe_until_ - step.t1) * direction >= 0.0) return nullptr;
  if (!has_changed && is_known(from)) {
    std::swap(left_, right_);
  } else {
    read(from.t, from.x, from.xp, run, left_);
  }
  read(step.t1, stepper.x(), stepper.xp(), run, right_);
  right_x_.assign(stepper.x().begin(), stepper.x().end());
  enclose(left_, right_, functions_->arguments());
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
  find_rests();
  find_suspects();
  safe_until_ = not_a_number;
  if (suspects_.empty()) {
    const double ahead = steps_ahead * length;
    if (is_safe_ahead(ahead)) safe_until_ = step.t1 + direction * ahead;
    return nullptr;
  }
  Look look{.t0 = from.t,
            .t1 = step.t1,
            .stepper = stepper,
            .run = run,
            .x = std::vector<double>(from.x.size()),
            .xp = std::vector<double>(from.x.size())};
  look.max_parts = static_cast<int>(std::clamp<double>(credit_, min_parts, max_parts));
  inspection_ = {};
  look_closer(look);
  credit_ -= look.n_parts;
  if (inspection_.stops.empty() && is_success(inspection_.status)) {
    std::ranges::sort(look.unresolved);
    look.unresolved.erase(std::unique(look.unresolved.begin(), look.unresolved.end()),
                          look.unresolved.end());
    for (const std::size_t number : look.unresolved) ++n_futile_[number];
    return nullptr;
  }
  // The step is taken again: what is known of its end is of no use.
  if (!inspection_.stops.empty()) right_ = std::exchange(left_, right_);
  return &inspection_;
}

void StepWatch::note_differences(Sample& sample) {
  enclose_point(sample, [](const Leaf&, double) { return 0.0; });
  sample.differences.clear();
  for (const std::size_t number : suspects_) {
    sample.differences.push_back(functions_->watched()[number].difference(bounds_).low);
  }
}

/// Notes which differences are 0 at an end of the step, for all that the rounding of the variables
/// lets one tell: it is that of what they pass through within the step.
void StepWatch::note_zeros(Sample& end, double length) {
  enclose_point(
      end,
      [&](const Leaf& leaf, double) {
        return rounding_share * std::abs(value_of(leaf, right_) - value_of(leaf, left_));
      },
      rounding_share * length);
  end.is_zero.clear();
  for (const std::size_t number : suspects_) {
    end.is_zero.push_back(functions_->watched()[number].difference(bounds_).contains(0.0));
  }
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
  }
  note_differences(sample);
  return sample;
}

/// A function that is certainly undefined at an instant, whatever the errors of the variables.
void StepWatch::note_violation(Look& look, const Sample& before, const Sample& at) {
  if (!std::isnan(look.violation)) return;
  enclose_point(at, [&](const Leaf& leaf, double value) {
    const double size = std::max(
        {std::abs(value), std::abs(value_of(leaf, left_)), std::abs(value_of(leaf, right_))});
    return certain_tolerances * (options_.rtol * size + options_.atol * nominals_[leaf.variable]);
  });
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const std::size_t number = suspects_[i];
    const Watched& function = functions_->watched()[number];
    if (function.kind != Watched::Kind::steep || is_told_[number]) continue;
    // Both ends of its bounds must lie outside.
    const Interval& a = bounds_[function.a];
    const bool is_beyond = functions_->beyond_domain(function, bounds_) > 0.0;
    if (!is_beyond) continue;
    std::swap(bounds_[function.a].low, bounds_[function.a].high);
    const bool is_certain = functions_->beyond_domain(function, bounds_) > 0.0;
    std::swap(bounds_[function.a].low, bounds_[function.a].high);
    if (!is_certain || !functions_->is_chosen(number, bounds_) || std::isinf(a.magnitude())) {
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
  enclose(a, b, functions_->all());
  const double share = std::abs((b.t - a.t) / look.length());
  const bool is_last =
      share <= shortest_part || std::abs(b.t - a.t) <= 4.0 * round_off * std::abs(a.t);
  bool is_resolved = true;
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const std::size_t number = suspects_[i];
    const Watched& function = functions_->watched()[number];
    if (!functions_->is_chosen(number, bounds_)) continue;
    const int sign_a = sign(a.differences[i]);
    const int sign_b = sign(b.differences[i]);
    switch (function.kind) {
      case Watched::Kind::steep: {
        if (!is_told_[number] && functions_->beyond_domain(function, bounds_) > 0.0) {
          if (share > shortest_touch) is_resolved = false;
          if (share <= shortest_touch) look.unresolved.push_back(number);
        }
        if (functions_->is_flat(number, bounds_, look.greatest, flat_share * options_.rtol)) break;
        const double strain = functions_->strain(function, bounds_);
        if (strain <= 1.0) {
          part.is_active = true;
        } else if (!is_last) {
          is_resolved = false;
        } else {
          look.unresolved.push_back(number);
          const bool may_be_pole = std::isinf(strain) && functions_->has_pole(function);
          if (may_be_pole && look.poles.size() < most_poles) look.poles.push_back({a.t, b.t, i});
        }
        break;
      }
      case Watched::Kind::divisor:
        if (!bounds_[function.a].contains(0.0)) break;
        if (is_last) look.unresolved.push_back(number);
        if (is_last && look.poles.size() < most_poles) look.poles.push_back({a.t, b.t, i});
        is_resolved = is_resolved && is_last;
        break;
      case Watched::Kind::relation:
        if (is_open(function) && !is_from_zero(i, a, b) && sign_a == sign_b &&
            share > shortest_touch) {
          is_resolved = false;
        }
        break;
      case Watched::Kind::kink:
      case Watched::Kind::jump: {
        const bool is_floor = functions_->enclosure()[function.place].op == Op::floor;
        if (!is_open(function)) break;
        if (!is_floor && is_from_zero(i, a, b)) break;
        const bool crosses = !is_floor && sign_a * sign_b < 0;
        const bool is_touch = !is_floor && !crosses && share <= shortest_touch;
        if (is_touch) break;
        if (crosses && share <= coarse_part) {
          look.brackets.push_back({a.t, b.t, i});
          break;
        }
        if (is_last && is_floor) look.kinks.push_back(b.t);
        is_resolved = is_resolved && is_last;
        break;
      }
    }
  }
  if (!is_resolved) {
    // What was found here will be found again in the halves.
    while (!look.brackets.empty() && look.brackets.back().begin == a.t &&
           look.brackets.back().end == b.t) {
      look.brackets.pop_back();
    }
  }
  return is_resolved;
}

void StepWatch::look_closer(Look& look) {
  enclose(left_, right_, functions_->all());
  look.greatest = functions_->greatest(bounds_);
  // The ends with the states that the run has there.
  Sample here = left_;
  Sample last = right_;
  note_differences(here);
  note_differences(last);
  note_zeros(here, std::abs(look.length()));
  note_zeros(last, std::abs(look.length()));
  const std::vector<double> first_differences = here.differences;
  const std::vector<double> last_differences = last.differences;
  std::vector<Sample> ahead{std::move(last)};
  while (!ahead.empty()) {
    Stretch part{here.t, ahead.back().t};
    const bool is_left_alone = ++look.n_parts > look.max_parts;
    if (is_left_alone && std::isnan(look.left_alone)) look.left_alone = here.t;
    if (is_left_alone || is_resolved(look, here, ahead.back(), part)) {
      look.parts.push_back(part);
      here = std::move(ahead.back());
      ahead.pop_back();
      continue;
    }
    Sample middle = sample_at(0.5 * (here.t + ahead.back().t), look);
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      if (functions_->watched()[suspects_[i]].kind != Watched::Kind::relation) continue;
      const int side = sign(first_differences[i]);
      const bool is_away = sign(middle.differences[i]) == -side;
      if (side != 0 && is_away && sign(last_differences[i]) == side) look.stops.push_back(middle.t);
    }
    note_violation(look, here, middle);
    ahead.push_back(std::move(middle));
  }
  conclude(look);
}

/// Where the difference of a suspect changes its sign.
double StepWatch::crossing(std::size_t suspect, double a, double b, Look& look) {
  const auto difference = [&](double t) { return sample_at(t, look).differences[suspect]; };
  const double tolerance = std::abs(look.length()) * end_share * 1e-3;
  const double before = difference(a);
  const double after = difference(b);
  if (sign(before) * sign(after) >= 0) return b;
  return integration::shrink_bracket({.a = a, .value_a = before, .b = b, .value_b = after},
                                     tolerance, difference)
      .b;
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
  functions_->enclosure().evaluate(functions_->arguments(), bounds_);
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
    const double t = crossing(bracket.suspect, bracket.begin, bracket.end, look);
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

void StepWatch::conclude(Look& look) {
  const bool is_over = ends_here(look);
  for (const Bracket& bracket : look.brackets) {
    look.kinks.push_back(crossing(bracket.suspect, bracket.begin, bracket.end, look));
  }
  const double margin = end_share * std::abs(look.length());
  const auto is_inside = [&](double t) {
    return std::abs(t - look.t0) > margin && std::abs(look.t1 - t) > margin &&
           (!is_over || std::abs(t - look.t0) < std::abs(inspection_.end - look.t0));
  };
  using Stop = Inspection::Stop;
  std::vector<Stop> stops;
  for (const Stretch& part : look.parts) {
    if (part.is_active) stops.insert(stops.end(), {Stop{part.begin}, Stop{part.end}});
  }
  for (const double t : look.kinks) stops.push_back({t, true});
  if (!std::isnan(look.left_alone)) stops.push_back({look.left_alone});
  std::erase_if(stops, [&](const Stop& stop) { return !is_inside(stop.t); });
  if (!stops.empty()) {
    std::vector<double> borders{look.t1};
    for (const Stop& stop : stops) borders.push_back(stop.t);
    for (const Stretch& part : look.parts) borders.push_back(part.begin);
    const auto is_earlier = [&](double a, double b) { return (b - a) * look.length() > 0.0; };
    std::ranges::sort(borders, is_earlier);
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::vector<Part> parts;
    for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
      if (is_over && is_earlier(inspection_.end, borders[k + 1])) break;
      parts.push_back({borders[k], borders[k + 1]});
    }
    if (!defect_) {
      defect_.emplace(map_->formulation().system(),
                      integration::WeightOptions{.rtol = options_.rtol, .atol = options_.atol});
    }
    if (defect_->measure(parts, look.stepper, look.run) <= significant) stops.clear();
  }
  for (const double t : look.stops) {
    if (is_inside(t)) stops.push_back({t});
  }
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
