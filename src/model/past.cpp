// SPDX-License-Identifier: BSD-3-Clause
#include "model/past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/types.hpp"

namespace daedal {

namespace {

/// The name of a continuous variable; empty for anything else.
std::string name_of(const Model::Data& data, const Expr& variable) {
  const Node node = (*data.open_pool)[variable.in(*data.open_pool)];
  const bool is_variable = node.op == Op::variable && node.order == 0;
  return is_variable ? data.variables[to_size(node.symbol)].name : std::string();
}

[[noreturn]] void refuse(const std::string& text) {
  throw ModelError(ErrorCode::type_mismatch, text);
}

/// The discrete variables by which a run hands on what a signal was.
class PastReader {
 public:
  PastReader(const BuilderAccess& access, std::string name, Past past)
      : builder_(access.builder), data_(access.data), name_(std::move(name)) {
    schedule_.holds = true;
    schedule_.past = std::move(past);
    has_begun_ = add("has_begun", ValueType::boolean);
    middle_ = add("middle", ValueType::real);
    inverse_ = add("inverse", ValueType::real);
  }

  /// Where it is read: the run gives a new stretch when the place leaves this one.
  void move_with(const Expr& place) {
    is_present_ = add("is_present", ValueType::boolean);
    lower_ = add("lower", ValueType::real);
    upper_ = add("upper", ValueType::real);
    place_ = place;
  }
  [[nodiscard]] Expr is_above() const { return place_ > upper_; }
  /// In the present what counts is how far it has been left behind.
  [[nodiscard]] Expr is_below() const {
    return place_ - if_else(is_present_, builder_.time(), 0.0) < lower_;
  }
  void ask_for(const Expr& side) {
    const Expr sought = internal("side", side);
    const Expr left = no_event(sought * sought > 0.5);
    const Expr place = builder_.discrete(name_ + ".place", {.start = Expr(0.0), .fixed = true});
    builder_.discrete_equation(place, if_else(left, place_, pre(place)));
    schedule_.past.side = symbol_of(sought);
    schedule_.past.place = symbol_of(place);
  }

  /// What it was; `present` where it is read at no distance, and `before` where there is no past.
  Expr finish(const Expr& before, const Expr& present) {
    std::vector<Expr> c;
    for (int k = 0; k < delay_coefficients; ++k)
      c.push_back(add(fmt::format("c{}", k), ValueType::real));
    const bool is_moving = schedule_.past.is_moving();
    const Expr s = ((is_moving ? place_ : builder_.time()) - middle_) * inverse_;
    // A trial step may go beyond the ends of the stretch, on the tangents there.
    const Expr inside = is_moving ? no_event(max(Expr(-1.0), min(Expr(1.0), s))) : s;
    Expr sum = c.back();
    Expr slope = 0.0;
    for (std::size_t k = c.size() - 1; k-- > 0;) {
      slope = sum + inside * slope;
      sum = c[k] + inside * sum;
    }
    if (is_moving) sum = if_else(is_present_, present, sum + slope * (s - inside));
    data_.schedules.push_back(std::make_shared<const Schedule>(std::move(schedule_)));
    return if_else(has_begun_, sum, before);
  }

 private:
  [[nodiscard]] std::int32_t symbol_of(const Expr& leaf) const {
    return builder_.pool()[leaf.in(builder_.pool())].symbol;
  }
  Expr add(std::string_view what, ValueType type) {
    // Where a start is looked at to see what matters, no coefficient shall happen to be zero.
    const Expr leaf = builder_.discrete(fmt::format("{}.{}", name_, what),
                                        {.start = Expr(1.0), .fixed = true, .type = type});
    schedule_.discretes.push_back(symbol_of(leaf));
    return leaf;
  }
  Expr internal(std::string_view what, const Expr& value) {
    const Expr leaf =
        builder_.discrete(fmt::format("{}.{}", name_, what),
                          {.start = Expr(0.0), .fixed = true, .type = ValueType::integer});
    builder_.discrete_equation(leaf, value);
    return leaf;
  }

  ModelBuilder& builder_;
  Model::Data& data_;
  std::string name_;
  Schedule schedule_;
  Expr has_begun_, middle_, inverse_, is_present_, lower_, upper_, place_;
};

/// The value at the start, for the time before.
Expr start_of(ModelBuilder& builder, const std::string& name, const Expr& variable) {
  const Expr before = builder.parameter(name + ".start", 0.0, {.fixed = false});
  builder.initial_equation(before == variable, name);
  return before;
}

std::string name_of_delay(const BuilderAccess& access, const std::string& signal) {
  return fmt::format("$delay({})[{}]", signal, access.data.schedules.size() + 1);
}

}  // namespace

Expr delayed(const BuilderAccess& access, const Expr& variable, double seconds) {
  const std::string signal = name_of(access.data, variable);
  if (signal.empty() || !(seconds > 0.0)) {
    refuse("delay() takes a continuous variable and a positive time.");
  }
  const std::string name = name_of_delay(access, signal);
  const Expr before = start_of(access.builder, name, variable);
  return PastReader(access, name, {.signal = signal, .delay = seconds}).finish(before, variable);
}

Expr delayed(const BuilderAccess& access, const Expr& variable, const Expr& seconds,
             double longest) {
  const std::string signal = name_of(access.data, variable);
  if (signal.empty() || !(longest > 0.0) || !std::isfinite(longest)) {
    refuse("delay() takes a continuous variable, a time and the longest that this will be.");
  }
  ModelBuilder& builder = access.builder;
  const std::string name = name_of_delay(access, signal);
  const Expr before = start_of(builder, name, variable);
  PastReader reader(access, name, {.signal = signal, .longest = longest});
  reader.move_with(builder.time() - seconds);
  reader.ask_for(if_else(reader.is_above(), 1.0, if_else(reader.is_below(), -1.0, 0.0)));
  // The tolerance of what is computed may lead beyond either end.
  const Expr fits = no_event(seconds >= -1e-6 * longest && seconds <= (1.0 + 1e-6) * longest);
  builder.assertion({.condition = fits.in(builder.pool()),
                     .message = fmt::format("The time by which '{}' is delayed must lie between 0 "
                                            "and the longest one, {}.",
                                            signal, longest)});
  return reader.finish(before, variable);
}

std::pair<Expr, Expr> transported(const BuilderAccess& access, const Transport& flow) {
  Past past{.signal = name_of(access.data, flow.in0),
            .other = name_of(access.data, flow.in1),
            .position = name_of(access.data, flow.position),
            .points = flow.points,
            .values = flow.values};
  if (past.signal.empty() || past.other.empty() || past.position.empty()) {
    refuse("transport() takes continuous variables: what goes in, and how far the flow has come.");
  }
  const bool is_ascending = std::ranges::is_sorted(past.points) && past.points.size() > 1 &&
                            past.points.front() == 0.0 && past.points.back() == 1.0;
  if (!is_ascending || past.points.size() != past.values.size()) {
    refuse("The points that a flow begins with ascend from 0 to 1, with a value for each.");
  }
  const auto leaving = [&](bool is_downstream) {
    const std::string name = fmt::format("$transport[{}]", access.data.schedules.size() + 1);
    past.is_downstream = is_downstream;
    PastReader reader(access, name, past);
    reader.move_with((is_downstream ? 1.0 : 0.0) - flow.position);
    const Expr has_left = reader.is_above() || reader.is_below();
    const Expr side = if_else(has_left, is_downstream ? -1.0 : 1.0, 0.0);
    reader.ask_for(is_downstream ? if_else(flow.is_positive, side, 0.0)
                                 : if_else(flow.is_positive, 0.0, side));
    const Expr before = is_downstream ? past.values.back() : past.values.front();
    return reader.finish(before, before);
  };
  const Expr upstream = leaving(false);
  const Expr downstream = leaving(true);
  return {if_else(flow.is_positive, flow.in0, upstream),
          if_else(flow.is_positive, downstream, flow.in1)};
}

}  // namespace daedal
