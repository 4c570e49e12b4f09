// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/staged_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/external.hpp"
#include "kernel/taylor.hpp"
#include "kernel/taylor_series.hpp"

namespace daedal::kernel {

namespace {

namespace libm = functions_of_numbers;

// The leading coefficient is the operation's own value.
double value_of(Operation operation, double a, double b, double c) {
  constexpr double zero = 0.0;
  constexpr double one = 1.0;
  [[maybe_unused]] const double d = 0.0;
  switch (operation) {
#define DAEDAL_VALUE(name, arity, value, ...) \
  case Operation::name:                       \
    return value;
    DAEDAL_KERNEL_OPERATIONS(DAEDAL_VALUE)
#undef DAEDAL_VALUE
    case Operation::sin_cos:
    case Operation::stop:
      break;
  }
  return 0.0;
}

}  // namespace

StagedSeries::StagedSeries(const Program& program, const std::function<int(int, Index)>& lead_of,
                           std::span<const int> output_leads, int last_stage, Convolution convolve)
    : program_(list_steps(program, lead_of)), convolve_(convolve) {
  // What a slot can have at a stage, and what the others read of it: the less of the two. A slope
  // is read one coefficient behind.
  const std::vector<int> can = program_.leads;
  std::vector<int> read(program_.leads.size(), 0);
  const auto reads = [&](Index slot, int lead) {
    read[to_size(slot)] = std::max(read[to_size(slot)], lead);
  };
  for (std::size_t i = 0; i < program_.outputs.size(); ++i)
    reads(program_.outputs[i], output_leads[i]);
  // A slope may come after what it is the slope of: twice through all steps is enough.
  for (int pass = 0; pass < 2; ++pass) {
    for (auto step = program_.steps.rbegin(); step != program_.steps.rend(); ++step) {
      const int lead = std::min(can[to_size(step->r)], read[to_size(step->r)]);
      for (const Index operand : {step->a, step->b, step->c}) reads(operand, lead);
      if (step->rule == Rule::primitive) reads(step->g, lead);
    }
  }
  int greatest = 0;
  for (std::size_t i = 0; i < program_.leads.size(); ++i) {
    const bool is_free = can[i] >= known;
    program_.leads[i] = is_free ? read[i] : std::min(can[i], read[i]);
    greatest = std::max(greatest, is_free ? read[i] : can[i]);
  }
  const auto feels = [&](Index slot, int lead) {
    const auto i = to_size(slot);
    return can[i] < known && program_.leads[i] == can[i] && program_.leads[i] == lead;
  };
  for (Step& step : program_.steps) {
    step.lead = program_.leads[to_size(step.r)];
    step.feels_a = feels(step.a, step.lead);
    step.feels_b = feels(step.b, step.lead);
  }
  for (Leaf& leaf : program_.leaves)
    if (leaf.lead == known) leaf.lead = program_.leads[to_size(leaf.slot)];
  // An odd number of cache lines, so that those of one stage do not all fall into a few sets.
  constexpr int line = 8;
  stride_ = to_size(line * ((last_stage + greatest) / line / 2 * 2 + 1));
  if (stride_ < to_size(last_stage + greatest + 1)) stride_ += 2 * line;
  data_.assign(stride_ * program_.leads.size(), 0.0);
  scratch_.assign(3 * stride_, 0.0);
  for (int q = 0; q <= last_stage + greatest; ++q) reciprocals_.push_back(1.0 / std::max(q, 1));
  arrange_lanes(last_stage);
  list_lines();
  clear();
}

void StagedSeries::clear() {
  std::ranges::fill(data_, 0.0);
  std::ranges::fill(rows_, 0.0);
  for (const auto& [slot, value] : program_.constants) series(slot)[0] = value;
}

/// Sums of one lead beside each other, those of r' = g·a' first.
void StagedSeries::arrange_lanes(int last_stage) {
  struct Sum {
    Index u, w;
    bool is_weighted;
    int lead;
    std::int32_t* number;
  };
  std::vector<Sum> sums;
  for (Step& step : program_.steps) {
    const auto want = [&](Index u, Index w, std::int32_t& number, bool is_weighted = false) {
      sums.push_back({u, w, is_weighted, step.lead, &number});
    };
    switch (step.rule) {
      case Rule::product:
        want(step.a, step.b, step.sum);
        break;
      case Rule::square:
        want(step.a, step.a, step.sum);
        break;
      case Rule::quotient:
        want(step.b, step.r, step.sum);
        break;
      case Rule::root:
        want(step.r, step.r, step.sum);
        break;
      case Rule::primitive:
        want(step.a, step.g, step.sum, true);
        break;
      case Rule::power:
        want(step.a, step.r, step.weighted_sum, true);
        want(step.a, step.r, step.plain_sum);
        break;
      default:
        break;
    }
  }
  std::ranges::stable_sort(sums, [](const Sum& a, const Sum& b) {
    return a.is_weighted != b.is_weighted ? a.is_weighted : a.lead < b.lead;
  });
  std::size_t end = 0;
  for (std::size_t first = 0; first < sums.size(); first += n_lanes) {
    const auto group = std::span(sums).subspan(first, std::min(n_lanes, sums.size() - first));
    const int lead = std::ranges::max(group, {}, &Sum::lead).lead;
    greatest_lead_ = std::max(greatest_lead_, lead);
    const std::size_t size = n_lanes * to_size(last_stage + lead + 1);
    groups_.push_back(
        {.u = end + n_lanes, .w = end + size + n_lanes * to_size(lead), .lead = lead});
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Sum& sum = group[i];
      *sum.number = static_cast<std::int32_t>(first + i);
      n_weighted_ += sum.is_weighted ? 1 : 0;
      lanes_.push_back({.a = place(sum.u) + sum.lead,
                        .b = place(sum.w) + sum.lead,
                        .u = static_cast<std::int32_t>(end + n_lanes * to_size(sum.lead) + i),
                        .w = static_cast<std::int32_t>(groups_.back().w + i),
                        .lead = sum.lead});
    }
    end += 2 * size;
  }
  rows_.assign(end, 0.0);
}

void StagedSeries::leave_outputs() {
  is_read_.assign(program_.leads.size(), 0);
  const auto read = [&](Index slot) { is_read_[to_size(slot)] = 1; };
  for (const Step& step : program_.steps) {
    const bool is_linear = step.rule == Rule::constant || step.rule == Rule::linear ||
                           step.rule == Rule::scaled || step.rule == Rule::divided;
    // A sum reads all coefficients of its operands, a line those that lag behind.
    for (const Index operand : {step.a, step.b, step.c})
      if (!is_linear || program_.leads[to_size(operand)] > step.lead) read(operand);
    if (is_linear || step.rule == Rule::product || step.rule == Rule::square) continue;
    read(step.r);
    if (step.rule == Rule::primitive) read(step.g);
  }
  for (const StagedSteps::Switch& which : program_.switches) {
    read(which.a);
    if (which.b >= 0) read(which.b);
  }
  for (auto step = program_.steps.rbegin(); step != program_.steps.rend(); ++step) {
    if (is_read_[to_size(step->r)] == 0) continue;
    for (const Index operand : {step->a, step->b, step->c}) read(operand);
  }
  list_lines();
}

void StagedSeries::list_lines() {
  all_ = felt_ = {};
  // After those of the lanes: none, and one of each step that is more than a line.
  const auto none = static_cast<std::int32_t>(n_lanes * groups_.size());
  std::int32_t n_sums = none + 1;
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    Step& step = program_.steps[i];
    const bool is_felt =
        (step.feels_a || step.feels_b) && (is_read_.empty() || is_read_[to_size(step.r)] != 0);
    const bool is_whole = step.rule == Rule::whole || step.rule == Rule::power;
    const bool has_no_sum =
        step.rule == Rule::linear || step.rule == Rule::scaled || step.rule == Rule::divided;
    if (step.rule == Rule::constant) continue;
    if (step.rule == Rule::piece || is_whole) {
      all_.others.push_back({all_.lines.size(), i});
      if (is_felt && !is_whole) felt_.others.push_back({felt_.lines.size(), i});
    }
    if (step.rule == Rule::piece) continue;
    if (has_no_sum) step.sum = none;
    if (is_whole) step.sum = n_sums++;
    all_.lines.push_back({.r = place(step.r) + step.lead,
                          .a = place(step.a) + step.lead,
                          .b = place(step.b) + step.lead,
                          .sum = step.sum});
    all_.steps.push_back(i);
    if (!is_felt) continue;
    felt_.lines.push_back(all_.lines.back());
    felt_.steps.push_back(i);
  }
  sums_.assign(to_size(n_sums), 0.0);
}

void StagedSeries::stage(int s) {
  if (s < 1) return first_stage(s);
  if (s == 1) {
    differentiate(all_);
    differentiate(felt_);
  }
  enter_lanes(s);
  sum_lanes(s);
  run(all_, s);
}

void StagedSeries::correct(int s) {
  run(felt_, s);
}

/// Computes a stage up to 0, in which operations begin.
void StagedSeries::first_stage(int s) {
  for (Step& step : program_.steps) {
    const int q = s + step.lead;
    if (q == 0) {
      start(step);
    } else if (q > 0 && step.rule != Rule::constant) {
      compute(step, q);
    }
  }
}

/// The newest coefficients, and at stage 1 all but the first.
void StagedSeries::enter_lanes(int s) {
  const double* const data = data_.data();
  double* const rows = rows_.data();
  const std::span<const Lane> weighted = std::span(lanes_).first(n_weighted_);
  const std::span<const Lane> plain = std::span(lanes_).subspan(n_weighted_);
  for (int at = s == 1 ? 1 - greatest_lead_ : s - 1; at < s; ++at) {
    const std::ptrdiff_t row = std::ptrdiff_t{8} * at;
    for (const Lane& lane : weighted) {
      if (at + lane.lead < 1) continue;
      rows[lane.u + row] = (at + lane.lead) * data[lane.a + at];
      rows[lane.w + row] = data[lane.b + at];
    }
    for (const Lane& lane : plain) {
      if (at + lane.lead < 1) continue;
      rows[lane.u + row] = data[lane.a + at];
      rows[lane.w + row] = data[lane.b + at];
    }
  }
}

void StagedSeries::sum_lanes(int s) {
  double* sums = sums_.data();
  for (const LaneGroup& group : groups_) {
    convolve_(rows_.data() + group.u, rows_.data() + group.w + n_lanes * to_size(s - 1),
              s + group.lead - 1, sums);
    sums += n_lanes;
  }
  for (std::size_t i = 0; i < n_weighted_; ++i)
    sums_[i] *= reciprocals_[to_size(s + lanes_[i].lead)];
}

void StagedSeries::differentiate(Pass& pass) const {
  for (std::size_t i = 0; i < pass.lines.size(); ++i)
    differentiate(program_.steps[pass.steps[i]], pass.lines[i]);
}

void StagedSeries::run(const Pass& pass, int s) {
  double* const data = data_.data() + s;
  const double* const sums = sums_.data();
  const auto run_lines = [&](std::size_t first, std::size_t end) {
    for (const Line& line : std::span(pass.lines).subspan(first, end - first))
      data[line.r] =
          line.by_a * data[line.a] + line.by_b * data[line.b] + line.by_sum * sums[line.sum];
  };
  std::size_t done = 0;
  for (const Pass::Other& other : pass.others) {
    run_lines(done, other.before);
    run_other(program_.steps[other.step], s);
    done = other.before;
  }
  run_lines(done, pass.lines.size());
}

/// What is more than a line: a piece, or the sum of a line that comes next.
void StagedSeries::run_other(Step& step, int s) {
  const int q = s + step.lead;
  const double a0 = series(step.a)[0];
  if (step.rule == Rule::piece) {
    compute(step, q);
  } else if (step.rule == Rule::power && a0 != 0.0) {
    // q·a_0·r_q = Σ_{0<j≤q} (p·j − (q − j))·a_j·r_{q−j}
    sums_[to_size(step.sum)] = ((series(step.b)[0] + 1.0) * sums_[to_size(step.weighted_sum)] -
                                sums_[to_size(step.plain_sum)]) /
                               a0;
  } else {
    Line line;
    differentiate(step, line);
    sums_[to_size(step.sum)] = whole_coefficient(step, q) - line.by_a * series(step.a)[q];
  }
}

void StagedSeries::start(Step& step) {
  const double a = series(step.a)[0];
  double* const r = series(step.r);
  if (step.rule == Rule::piece && step.value == Operation::if_else) {
    r[0] = value_of(step.value, series(step.c)[0], a, series(step.b)[0]);
  } else {
    r[0] = value_of(step.value, a, series(step.b)[0], series(step.c)[0]);
  }
  if (step.rule == Rule::piece) choose(step, 0);
  if (step.rule != Rule::whole) return;
  std::array<double, 4> line{a, 1.0, 0.0, 0.0};
  std::array<double, 6> work{};
  const std::array<int, 2> degrees{1, 0};
  run_operation({.operation = step.value, .r = 1}, 1, {line.data(), 2, degrees}, work);
  step.factor_a = line[3];
}

/// The first coefficient that decides does; until then all pieces are the same.
bool StagedSeries::is_undecided(const Step& step, int q) const {
  if (step.value == Operation::if_else) return false;
  const double* const a = series(step.a);
  const double* const b = series(step.b);
  for (int k = 0; k < q; ++k)
    if (step.value == Operation::abs ? a[k] != 0.0 : a[k] != b[k]) return false;
  return true;
}

void StagedSeries::choose(Step& step, int q) {
  const double* const a = series(step.a);
  const double* const b = series(step.b);
  bool takes_a = true;
  double sign = 1.0;
  switch (step.value) {
    case Operation::abs:
      sign = a[q] < 0.0 ? -1.0 : 1.0;
      break;
    case Operation::min:
      takes_a = a[q] < b[q];
      break;
    case Operation::max:
      takes_a = a[q] > b[q];
      break;
    default:
      takes_a = series(step.c)[0] != 0.0;
      break;
  }
  step.factor_a = takes_a ? sign : 0.0;
  step.factor_b = takes_a ? 0.0 : 1.0;
}

/// A coefficient by itself, from all before it.
void StagedSeries::compute(Step& step, int q) {
  const double* const a = series(step.a);
  const double* const b = series(step.b);
  double* const r = series(step.r);
  // Σ_{first≤j≤last} u_j·w_{q−j}
  const auto sum = [q](const double* u, const double* w, int first, int last) {
    double result = 0.0;
    for (int j = first; j <= last; ++j) result += u[j] * w[q - j];
    return result;
  };
  switch (step.rule) {
    case Rule::constant:
      break;
    case Rule::linear:
      r[q] = step.factor_a * a[q] + step.factor_b * b[q];
      break;
    case Rule::scaled:
      r[q] = a[q] * b[0];
      break;
    case Rule::divided:
      r[q] = a[q] / b[0];
      break;
    case Rule::product:
    case Rule::square:
      r[q] = sum(a, b, 0, q);
      break;
    case Rule::quotient:
      r[q] = (a[q] - sum(b, r, 1, q)) / b[0];
      break;
    case Rule::root:
      r[q] = (a[q] - sum(r, r, 1, q - 1)) / (2.0 * r[0]);
      break;
    case Rule::primitive: {
      const double* const g = series(step.g);
      double weighted = 0.0;
      for (int j = 1; j <= q; ++j) weighted += j * a[j] * g[q - j];
      r[q] = step.factor_a * weighted / q;
      break;
    }
    case Rule::power:
    case Rule::whole:
      r[q] = whole_coefficient(step, q);
      break;
    case Rule::piece:
      if (is_undecided(step, q)) choose(step, q);
      r[q] = step.factor_a * a[q] + step.factor_b * b[q];
      break;
  }
}

double StagedSeries::whole_coefficient(const Step& step, int q) {
  const std::size_t size = to_size(q) + 1;
  std::vector<double> registers(3 * size, 0.0);
  std::copy_n(series(step.a), size, registers.begin());
  registers[size] = series(step.b)[0];
  const std::array<int, 3> degrees{q, step.value == Operation::pow ? 0 : q, 0};
  if (step.value != Operation::pow) std::copy_n(series(step.b), size, registers.begin() + q + 1);
  run_operation({.operation = step.value, .r = 2, .a = 0, .b = 1}, q,
                {registers.data(), size, degrees}, scratch_);
  return registers[3 * size - 1];
}

/// Computes the derivatives of a step from the values of its operands.
void StagedSeries::differentiate(const Step& step, Line& line) const {
  const double a0 = series(step.a)[0];
  const double b0 = series(step.b)[0];
  const double r0 = series(step.r)[0];
  line.by_a = line.by_b = 0.0;
  line.by_sum = 1.0;
  switch (step.rule) {
    case Rule::constant:
      break;
    case Rule::piece:
    case Rule::linear:
      line.by_a = step.factor_a;
      line.by_b = step.factor_b;
      break;
    case Rule::scaled:
      line.by_a = b0;
      break;
    case Rule::divided:
      line.by_a = 1.0 / b0;
      break;
    case Rule::product:
      line.by_a = b0;
      line.by_b = a0;
      break;
    case Rule::square:
      line.by_a = 2.0 * a0;
      break;
    case Rule::quotient:
      line.by_a = 1.0 / b0;
      line.by_b = -r0 / b0;
      line.by_sum = -1.0 / b0;
      break;
    case Rule::root:
      line.by_a = 1.0 / (2.0 * r0);
      line.by_sum = -line.by_a;
      break;
    case Rule::power:
      line.by_a = a0 == 0.0 ? (b0 == 1.0 ? 1.0 : 0.0) : b0 * r0 / a0;
      break;
    case Rule::primitive:
      line.by_a = step.factor_a * series(step.g)[0];
      line.by_sum = step.factor_a;
      break;
    case Rule::whole:
      line.by_a = step.factor_a;
      break;
  }
}

void StagedSeries::switch_series(Index number, int s, std::span<double> out) const {
  const StagedSteps::Switch& which = program_.switches[to_size(number)];
  const auto known_of = [&](Index slot) { return to_size(s + program_.leads[to_size(slot)] + 1); };
  const std::size_t n =
      std::min({out.size(), known_of(which.a), which.b < 0 ? out.size() : known_of(which.b)});
  std::ranges::fill(out, 0.0);
  const double* const a = series(which.a);
  double greatest = 0.0;
  double difference = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double b = which.b < 0 ? 0.0 : series(which.b)[k];
    out[k] = a[k] - b;
    difference = std::max(difference, std::abs(out[k]));
    greatest = std::max({greatest, std::abs(a[k]), std::abs(b)});
  }
  // Rounding errors of two that are the same are no switch.
  if (which.b >= 0 && difference <= 64.0 * round_off * greatest) std::ranges::fill(out, 0.0);
  if (!which.has_steps || n == 0) return;
  // Both ends of a step of floor(a) are zeros of 1/4 − (a − ⌊a_0⌋ − 1/2)².
  std::vector<double> shifted(a, a + n);
  shifted[0] -= std::floor(a[0]) + 0.5;
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = k == 0 ? 0.25 : 0.0;
    for (std::size_t j = 0; j <= k; ++j) out[k] -= shifted[j] * shifted[k - j];
  }
}

}  // namespace daedal::kernel
