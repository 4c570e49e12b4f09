// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/carried_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "integrate/error_floor.hpp"
#include "model/labels.hpp"

namespace daedal::solve_detail {

namespace {

/// Amplified errors of so many tolerances are accepted: the error of a step is usually a small part
/// of its estimate.
constexpr double bearable = 10.0;
/// A value is more than noise if it exceeds the errors of the states by the first factor and the
/// rounding errors at the start by the second.
constexpr double many_errors = 10.0;
constexpr double many_rounding_errors = 1e3;
/// Steps between two looks, while nothing is amplified and while something is.
constexpr std::int64_t longest_stride = 16;
constexpr std::int64_t short_stride = 4;
/// From one look to the next the tolerance becomes less sharp by at most this factor.
constexpr double slowest_return = 0.5;
/// At the start, values are followed along the slopes over some ways: the first is this share of
/// the run, each next one that share of the one before. The way is short enough if the change over
/// it differs from twice the change over half of it by less than the share `bend`.
constexpr double first_way = 0x1p-4;
constexpr double shorter_way = 0x1p-6;
constexpr int most_ways = 4;
constexpr double bend = 0.2;
/// An unknown that has decayed is looked at again when it has become smaller by the first factor.
/// One that is followed is looked at again earlier, by the second factor.
constexpr double next_look = 0.125;
constexpr double next_size = 0.25;
/// A lasting error of so many tolerances sharpens the tolerance. Below it no digits are lost.
constexpr double lasting = 3.0;
/// A lasting error of so many tolerances is reported.
constexpr double grave = 100.0;
/// Unknowns are moved by this share of their sizes to find out which values depend on them. The
/// effect then exceeds rounding errors.
constexpr double tiny_move = 0x1p-10;
constexpr std::int64_t first_steps = 4;  ///< which look back over the way from the start
/// The relative change of an unknown that represents its rounding errors.
constexpr double few_units = 3.0 * round_off;

/// From 1/2 to 1, another one for each unknown.
double irregular_share(std::size_t i) {
  return 0.5 + 0.5 * std::fmod(0.6180339887498949 * static_cast<double>(i), 1.0);
}

}  // namespace

CarriedError::CarriedError(std::shared_ptr<const OutputMap> map, const Model& model,
                           const Options& options)
    : map_(std::move(map)),
      rtol_(options.rtol),
      atol_(options.atol),
      follows_all_(options.follows_all),
      only_tells_(options.only_tells),
      is_tested_(map_->names().size(), false),
      least_(map_->names().size(), 0.0),
      workspace_(map_->make_workspace()),
      values_(least_.size()),
      moved_(least_.size()),
      peak_(least_.size(), 0.0),
      expected_(least_.size(), 0.0),
      noise_(least_.size(), 0.0),
      rounding_(least_.size(), 0.0) {
  std::unordered_map<std::string_view, std::size_t> columns;
  for (std::size_t j = 0; j < least_.size(); ++j) columns.emplace(map_->names()[j], j);
  for (const Variable& variable : model.variables()) {
    const auto found = columns.find(variable.name);
    if (variable.nominal == 1.0 || found == columns.end()) continue;
    least_[found->second] = atol_ * std::abs(variable.nominal);
  }
  const System& system = map_->formulation().system();
  const auto kinds = system.kinds();
  for (std::size_t i = 0; i < to_size(system.size()); ++i) {
    const auto found = columns.find(system.unknown_name(to_index(i)));
    const bool is_tested = kinds.empty() || (kinds[i].in_error_test && kinds[i].index <= 1);
    if (is_tested && found != columns.end()) is_tested_[found->second] = true;
  }
}

bool CarriedError::values_at(double t, std::span<const double> x, std::span<const double> slopes,
                             Run& run, std::span<double> out) {
  const ExplicitSystem* with_slopes = map_->formulation().explicit_system.get();
  std::ranges::copy(slopes, xp_.begin());
  if (with_slopes != nullptr && with_slopes->rhs(t, x, run, xp_) != Evaluation::ok) return false;
  map_->evaluate(t, x, xp_, run, out, workspace_);
  return true;
}

bool CarriedError::change_along(const integration::Stepper& stepper, std::span<const double> from,
                                double way, Run& run, std::span<double> out) {
  if (!values_at(stepper.time(), from, stepper.xp(), run, moved_)) return false;
  slopes_ = xp_;
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = from[i] + side * way * slopes_[i];
    if (!values_at(stepper.time() + side * way, x_, slopes_, run, moved_)) return false;
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = side > 0.0 ? 0.5 * moved_[j] : out[j] - 0.5 * moved_[j];
    }
  }
  return true;
}

/// Values along the tangent leave 0 in proportion to the way, where they leave it at all; those
/// that the equations keep constant, by a higher power of it.
bool CarriedError::expect(const integration::Stepper& stepper, double way, Run& run) {
  const std::span<const double> x = stepper.x();
  std::vector<double> whole(values_.size()), half(whole), other(whole), off(x.begin(), x.end());
  if (n_steps_ > 0) {
    for (std::size_t i = 0; i < off.size(); ++i) off[i] += weights_[i] > 0.0 ? error_[i] : 0.0;
    if (!change_along(stepper, off, way, run, other)) return true;
  }
  if (!change_along(stepper, x, way, run, whole)) return true;
  if (!change_along(stepper, x, 0.5 * way, run, half)) return true;
  bool is_open = false;
  for (std::size_t j = 0; j < values_.size(); ++j) {
    if (peak_[j] > 0.0 || expected_[j] > 0.0) continue;
    const double size = std::abs(whole[j]);
    const double noise = n_steps_ > 0 ? many_errors * std::abs(other[j] - whole[j]) : 0.0;
    const bool is_real = size > many_rounding_errors * rounding_[j] && size > noise;
    const bool is_straight = std::abs(whole[j] - 2.0 * half[j]) < bend * size;
    if (is_real && is_straight) expected_[j] = size;
    is_open = is_open || expected_[j] == 0.0;
  }
  return is_open;
}

double CarriedError::amplification(const integration::Stepper& stepper, Run& run) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  double size = 0.0;
  for (std::size_t i = 0; i < error_.size(); ++i) {
    size = std::max(size, std::abs(error_[i] * weights_[i]) / sharpness_);
  }
  if (!(size > 0.0) || !std::isfinite(size)) return unknown;
  // As large as a tolerance: far above rounding errors.
  for (std::size_t i = 0; i < error_.size(); ++i) {
    x_[i] = stepper.x()[i] + (weights_[i] > 0.0 ? error_[i] / size : 0.0);
  }
  if (!values_at(stepper.time(), x_, stepper.xp(), run, moved_) ||
      !values_at(stepper.time(), stepper.x(), stepper.xp(), run, values_)) {
    return unknown;
  }
  double greatest = 0.0;
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const double moved = std::abs(moved_[j] - values_[j]);
    moved_[j] = moved * size;
    if (!is_tested_[j] && allowed(j) > 0.0) greatest = std::max(greatest, moved / allowed(j));
  }
  return std::isfinite(greatest) ? greatest : unknown;
}

/// 0 for a variable that does not count.
double CarriedError::allowed(std::size_t variable) const {
  const double peak = peak_[variable];
  if (peak == 0.0 && expected_[variable] == 0.0) return 0.0;
  const double of_size = peak > 0.0 ? rtol_ * peak : rtol_ * expected_[variable] + atol_;
  return std::max({of_size, least_[variable], rounding_[variable], only_tells_ ? atol_ : 0.0});
}

std::string CarriedError::reader(const integration::Stepper& stepper, Run& run) {
  const System& system = map_->formulation().system();
  const std::span<const double> x = stepper.x();
  double share = HUGE_VAL;  // of an error as large as the absolute tolerance
  double lasts = 0.0;       // the time for which there is one
  for (std::size_t k = 0; k < decayed_.size(); ++k) {
    const std::size_t i = decayed_[k];
    share = std::min(share, tiny_move * sizes_[k] / stepper.norm()->limit(i) / rtol_);
    lasts = std::max(lasts, sizes_[k] / std::abs(stepper.xp()[i]));
  }
  lasts = std::min(lasts, std::abs(stepper.time() - start_));
  std::ranges::copy(x, x_.begin());
  stepper.norm()->compute(x, 0.0, weights_);
  for (const std::size_t i : decayed_) {
    const double error = rtol_ * stepper.norm()->limit(i);
    // Moves of different size, lest they cancel in quotients.
    x_[i] += integration::irregular_sign(i) * irregular_share(i) * share * error;
    weights_[i] = 0.0;  // it is of no concern to itself
  }
  const auto is_lost = [&](double value, double moved, double tolerance) {
    const double change = std::abs(moved - value);
    return change > many_rounding_errors * round_off * std::abs(value) &&
           change > (only_tells_ ? grave : lasting) * tolerance * share && std::isfinite(change);
  };
  const double t = stepper.time();
  conditions_.resize(to_size(system.n_events()));
  moved_conditions_.resize(conditions_.size());
  const auto evaluate = [&](std::span<const double> at, std::span<double> values,
                            std::span<double> conditions) {
    return values_at(t, at, stepper.xp(), run, values) &&
           (conditions.empty() ||
            system.event_functions(t, at, xp_, run, conditions) == Evaluation::ok);
  };
  if (!evaluate(x_, moved_, moved_conditions_)) return {};
  slopes_ = xp_;
  if (!evaluate(x, values_, conditions_)) return {};
  if (!move_rates(stepper, run)) return {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (weights_[i] > 0.0 && is_lost(xp_[i], slopes_[i], 1.0 / (weights_[i] * lasts)))
      return fmt::format("the rate of '{}'", name_of(i, stepper));
  }
  for (std::size_t j = 0; (only_tells_ || !can_sharpen_) && j < values_.size(); ++j) {
    peak_[j] = std::max(peak_[j], std::abs(values_[j]));
  }
  const auto lost_value = [&]() -> std::string {
    for (std::size_t j = 0; j < values_.size(); ++j) {
      if (allowed(j) > 0.0 && is_lost(values_[j], moved_[j], allowed(j)))
        return fmt::format("'{}'", map_->names()[j]);
    }
    return {};
  };
  if (std::string lost = lost_value(); !lost.empty()) return lost;
  // Rates between the steps are not those of the values there: der(x)/x.
  map_->evaluate(t, x_, xp_, run, moved_, workspace_);
  if (std::string lost = lost_value(); !lost.empty()) return lost;
  if (only_tells_) return changed_condition(stepper, share, run);
  for (std::size_t j = 0; j < conditions_.size(); ++j) {
    const double value = conditions_[j];
    if (value != 0.0 && is_lost(value, moved_conditions_[j], rtol_ * std::abs(value)))
      return "a condition";
  }
  return {};
}

/// Computes the rates of an implicit system at x + e from F(x + e) = F(x) + F_x' Δx', as far as
/// equations contain one rate each.
bool CarriedError::move_rates(const integration::Stepper& stepper, Run& run) {
  const ImplicitSystem* system = map_->formulation().implicit_system.get();
  if (system == nullptr || system->n_constraints() > 0) return true;
  const SparsityPattern& pattern = system->pattern();
  std::vector<double> here(x_.size()), there(x_.size());
  std::vector<double> f_x(pattern.row.size()), f_xp(pattern.row.size());
  const double t = stepper.time();
  if (system->residual(t, stepper.x(), stepper.xp(), run, here) != Evaluation::ok ||
      system->residual(t, x_, stepper.xp(), run, there) != Evaluation::ok ||
      system->jacobian(t, stepper.x(), stepper.xp(), run, f_x, f_xp) != Evaluation::ok)
    return false;
  std::ranges::copy(stepper.xp(), xp_.begin());
  slopes_ = xp_;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      const auto row = to_size(pattern.row[p]);
      if (f_xp[p] != 0.0) slopes_[j] -= (there[row] - here[row]) / f_xp[p];
    }
  }
  return true;
}

void CarriedError::note_sides(const integration::Stepper& stepper, Run& run) {
  const System& system = map_->formulation().system();
  if (system.n_events() == 0) return;
  conditions_.resize(to_size(system.n_events()));
  last_conditions_.resize(conditions_.size(), 0.0);
  has_changed_.resize(conditions_.size());
  const Failure before = run.failure;
  const bool is_known = system.event_functions(stepper.time(), stepper.x(), stepper.xp(), run,
                                               conditions_) == Evaluation::ok;
  run.failure = before;
  for (std::size_t j = 0; is_known && j < conditions_.size(); ++j)
    has_changed_[j] = std::exchange(last_conditions_[j], conditions_[j]) * conditions_[j] < 0.0;
}

/// The time at which it changes is known where the step takes it beyond the errors.
std::string CarriedError::changed_condition(const integration::Stepper& stepper, double share,
                                            Run& run) {
  if (std::ranges::find(has_changed_, true) == has_changed_.end()) return {};
  const double way = tiny_move * step_;
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = stepper.x()[i] - way * stepper.xp()[i];
  std::vector<double> before(conditions_.size());
  if (map_->formulation().system().event_functions(stepper.time() - way, x_, stepper.xp(), run,
                                                   before) != Evaluation::ok)
    return {};
  for (std::size_t j = 0; j < conditions_.size(); ++j) {
    const double uncertain = std::abs(moved_conditions_[j] - conditions_[j]) / share;
    const double change = std::abs(conditions_[j] - before[j]) / tiny_move;
    if (!has_changed_[j] || change > uncertain) continue;
    const auto number = static_cast<std::int64_t>(j);
    return fmt::format("the event '{}'",
                       map_->formulation().outputs.describe_event({&number, 1}, {}));
  }
  return {};
}

/// A state that is a variable has its value.
std::string CarriedError::name_of(std::size_t unknown, const integration::Stepper& stepper) const {
  const auto same = std::ranges::find(values_, stepper.x()[unknown]);
  if (same != values_.end()) return map_->names()[to_size(same - values_.begin())];
  return map_->formulation().system().unknown_name(to_index(unknown));
}

void CarriedError::tell(const integration::Stepper& stepper, const std::string& what) {
  std::vector<std::string> names;
  for (const std::size_t i : decayed_) names.push_back(fmt::format("'{}'", name_of(i, stepper)));
  sentence_ = fmt::format(
      "At t = {:.6g} {} hangs on digits of {} below the absolute tolerance, which asks for none: "
      "what follows from them is not accurate. Give a smaller atol, or none.",
      stepper.time(), what, join_words(names));
}

void CarriedError::follow_decays(integration::Stepper& stepper, Run& run) {
  const double step = stepper.time() - std::exchange(last_time_, stepper.time());
  if (step != 0.0) step_ = step;
  if (only_tells_) note_sides(stepper, run);
  const std::span<const double> x = stepper.x();
  decayed_.clear();
  sizes_.clear();
  bool is_known = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // A value that only passes 0 has not decayed.
    const double size = std::max(std::abs(x[i]), std::abs(step * stepper.xp()[i]));
    const double limit = (only_tells_ ? rtol_ : 1.0) * stepper.norm()->limit(i);
    if (size >= limit) {
      looked_at_[i] = limit;
      is_followed_[i] = false;
      was_above_[i] = true;
    }
    if (only_tells_ && !was_above_[i]) continue;
    if (!(size < (only_tells_ ? limit : looked_at_[i])) || size == 0.0 ||
        !stepper.norm()->is_tested(to_index(i)))
      continue;
    decayed_.push_back(i);
    sizes_.push_back(size);
    is_known = is_known && is_followed_[i];
  }
  if (decayed_.empty()) return;
  const Failure before = run.failure;
  const std::string what = follows_all_ || is_known ? std::string() : reader(stepper, run);
  const bool is_needed = follows_all_ || is_known || !what.empty();
  run.failure = before;
  if (only_tells_) {
    if (is_needed) tell(stepper, what);
    return;
  }
  for (std::size_t k = 0; k < decayed_.size(); ++k) {
    looked_at_[decayed_[k]] = (is_needed ? next_size : next_look) * sizes_[k];
    is_followed_[decayed_[k]] = is_needed;
  }
  if (is_needed) stepper.follow(decayed_, sizes_);
}

void CarriedError::sharpen(double amplification, double least, integration::Stepper& stepper) {
  if (std::isnan(amplification)) return;
  sharpness_ = stepper.sharpen(std::max({1.0, amplification / bearable, least}));
}

void CarriedError::begin(integration::Stepper& stepper, double stop, Run& run) {
  const integration::ErrorWeights* norm = stepper.norm();
  // Where dependent coordinates are searched for from where they were last, a look would move that.
  const ExplicitSystem* system = map_->formulation().explicit_system.get();
  is_possible_ = norm != nullptr && (system == nullptr || !system->has_complete());
  if (!is_possible_) return;
  start_ = last_time_ = stepper.time();
  const std::span<const double> x = stepper.x();
  error_.resize(x.size());
  x_.resize(x.size());
  xp_.resize(x.size());
  weights_.resize(x.size());
  looked_at_.resize(x.size());
  is_followed_.resize(x.size(), false);
  was_above_.resize(x.size(), false);
  for (std::size_t i = 0; i < x.size(); ++i) looked_at_[i] = norm->limit(i);
  norm->compute(x, 0.0, weights_);
  const Failure before = run.failure;
  for (std::size_t i = 0; i < x.size(); ++i)
    x_[i] = x[i] * (1.0 + integration::irregular_sign(i) * few_units);
  is_possible_ = values_at(stepper.time(), x_, stepper.xp(), run, moved_) &&
                 values_at(stepper.time(), x, stepper.xp(), run, values_);
  for (std::size_t j = 0; is_possible_ && j < values_.size(); ++j) {
    const double rounding = std::abs(moved_[j] - values_[j]);
    rounding_[j] = std::isfinite(rounding) ? rounding : 0.0;
    if (std::abs(values_[j]) > many_rounding_errors * rounding_[j]) peak_[j] = std::abs(values_[j]);
  }
  double way = first_way * (stop - stepper.time());
  can_sharpen_ = is_possible_ && map_->formulation().levels.n == 0;
  for (int k = 0; can_sharpen_ && k < most_ways && expect(stepper, way, run); ++k) {
    way *= shorter_way;
  }
  // Before there is an estimate: all states off by their tolerances.
  for (std::size_t i = 0; i < x.size(); ++i) {
    error_[i] = weights_[i] > 0.0 ? integration::irregular_sign(i + 1) / weights_[i] : 0.0;
  }
  if (can_sharpen_ && !only_tells_) sharpen(amplification(stepper, run), 1.0, stepper);
  run.failure = before;
}

void CarriedError::look(integration::Stepper& stepper, Run& run) {
  if (!is_possible_ || !sentence_.empty()) return;
  follow_decays(stepper, run);
  if (only_tells_ || !can_sharpen_ || ++n_steps_ < next_) return;
  next_ = n_steps_ + 1;
  if (!stepper.local_error(error_)) return;
  stepper.norm()->compute(stepper.x(), 0.0, weights_);
  const Failure before = run.failure;
  if (n_steps_ <= first_steps) (void)expect(stepper, stepper.time() - start_, run);
  const double found = amplification(stepper, run);
  run.failure = before;
  const auto n_since = static_cast<double>(n_steps_ - last_);
  if (!std::isnan(found)) {
    for (std::size_t j = 0; j < values_.size(); ++j) {
      noise_[j] += n_since * moved_[j];
      const double value = std::abs(values_[j]);
      const bool counts =
          value > many_errors * noise_[j] && value > many_rounding_errors * rounding_[j];
      if (counts) peak_[j] = std::max(peak_[j], value);
    }
    sharpen(found, last_ == 0 ? 1.0 : slowest_return * sharpness_, stepper);
  }
  last_ = n_steps_;
  next_ = n_steps_ + std::min(n_steps_, sharpness_ > 1.0 ? short_stride : longest_stride);
}

}  // namespace daedal::solve_detail
