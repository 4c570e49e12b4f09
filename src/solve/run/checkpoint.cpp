// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/checkpoint.hpp"

#include <fmt/format.h>

#include <bit>
#include <daedal/error.hpp>
#include <type_traits>
#include <utility>

#include "expr/pool.hpp"

namespace daedal::solve_detail {

namespace {

/// The first bytes; another layout has another number.
constexpr std::string_view magic = "daedal checkpoint 3\n";

[[noreturn]] void refuse_checkpoint(const char* reason) {
  throw OptionError(ErrorCode::file_not_readable, reason);
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Numbers by their bits; texts and lists with their length before them.
class Writer {
 public:
  void operator()(Number auto& value) {
    if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(value)>>) {
      number(std::bit_cast<std::uint64_t>(value));
    } else {
      number(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }
  }
  void operator()(std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  template <class T, class Each>
  void list(std::vector<T>& items, Each each) {
    number(items.size());
    for (T& item : items) each(item);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t value) {
    for (unsigned i = 0; i < 64; i += 8) bytes_ += static_cast<char>(value >> i & 0xFFU);
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <Number T>
  void operator()(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      value = std::bit_cast<double>(number());
    } else {
      value = static_cast<T>(static_cast<std::int64_t>(number()));
    }
  }
  void operator()(std::string& text) {
    const std::size_t n = length(1);
    text = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
  }
  template <class T, class Each>
  void list(std::vector<T>& items, Each each) {
    items.resize(length(8));
    for (T& item : items) each(item);
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::uint64_t number() {
    if (bytes_.size() < 8) refuse_checkpoint("The checkpoint is damaged: it ends too early.");
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[i])} << (8U * i);
    }
    bytes_.remove_prefix(8);
    return value;
  }
  /// The length of a list whose items have at least `least_size` bytes each.
  std::size_t length(std::size_t least_size) {
    const std::uint64_t n = number();
    if (n > bytes_.size() / least_size) {
      refuse_checkpoint("The checkpoint is damaged: it ends too early.");
    }
    return n;
  }
  std::string_view bytes_;
};

// One list of fields for both directions.

template <class Archive>
void transfer(Archive& a, Statistics& s) {
  for (std::int64_t* count :
       {&s.steps, &s.rejected, &s.residual_evaluations, &s.jacobian_evaluations, &s.factorizations,
        &s.newton_iterations, &s.projections, &s.reselections, &s.events, &s.restarts,
        &s.recognitions, &s.compilations}) {
    a(*count);
  }
  a(s.wall_time);
}

template <class Archive>
void transfer(Archive& a, Solution& s) {
  const auto item = [&](auto& value) { a(value); };
  a(s.status);
  for (std::string* text : {&s.message, &s.model_name, &s.method.requested, &s.method.used,
                            &s.integrator.requested, &s.integrator.used}) {
    a(*text);
  }
  for (auto* texts : {&s.warnings, &s.notices, &s.names, &s.inputs, &s.outputs}) {
    a.list(*texts, item);
  }
  a(s.rtol);
  a(s.atol);
  a(s.error_growth);
  a.list(s.constraints, [&](ConstraintLevel& level) {
    a(level.level);
    a(level.max_residual);
    a.list(level.residuals, item);
  });
  a.list(s.events, [&](EventRecord& event) {
    a(event.time);
    a(event.what);
    a(event.row);
  });
  transfer(a, s.statistics);
  a.list(s.times, item);
  a.list(s.values, item);
}

template <class Archive>
void transfer(Archive& a, formulation::EventState& e) {
  const auto item = [&](auto& value) { a(value); };
  for (auto* list : {&e.modes, &e.discretes, &e.pre, &e.pre_values, &e.crossed, &e.conditions,
                     &e.stretch_ends}) {
    a.list(*list, item);
  }
  for (auto* list : {&e.n_hasty, &e.n_taken, &e.next_rows, &e.warned}) a.list(*list, item);
  a.list(e.histories, [&](formulation::SignalHistory& history) { history.transfer(a); });
}

template <class Archive>
void transfer(Archive& a, Checkpoint& c) {
  const auto item = [&](auto& value) { a(value); };
  for (std::string* text : {&c.problem, &c.method, &c.integrator}) a(*text);
  for (double* number : {&c.span.start, &c.span.stop, &c.tolerance_factor, &c.t, &c.last_step,
                         &c.log_growth, &c.neglected}) {
    a(*number);
  }
  for (auto* names : {&c.parameter_names, &c.start_names}) a.list(*names, item);
  for (auto* numbers : {&c.parameter_values, &c.start_values}) a.list(*numbers, item);
  for (bool* flag :
       {&c.is_exact, &c.is_changed, &c.is_complete, &c.is_sharpened, &c.has_successors})
    a(*flag);
  a.list(c.values, item);
  a.list(c.parameters, item);
  transfer(a, c.events);
  transfer(a, c.solution);
}

}  // namespace

namespace {

/// The checksum of all expressions of a model, in their places, and of the tables that drive it.
std::uint64_t checksum(const Model& model) {
  Writer writer;
  const Pool& pool = *model.pool();
  for (NodeId id = 0; id < pool.size(); ++id) {
    Node node = pool[id];
    writer(node.op);
    for (std::int32_t* number : {&node.symbol, &node.order, &node.a, &node.b, &node.c}) {
      writer(*number);
    }
    writer(node.value);
  }
  for (const auto equations : {model.equations(), model.initial_equations()}) {
    for (Equation equation : equations) {
      writer(equation.lhs);
      writer(equation.rhs);
    }
  }
  for (DiscreteEquation equation : model.discrete_equations()) {
    writer(equation.discrete);
    writer(equation.value);
  }
  for (const WhenClause& clause : model.when_clauses()) {
    for (WhenBranch branch : clause.branches) {
      writer(branch.condition);
      for (WhenAction& action : branch.actions) {
        writer(action.kind);
        writer(action.target);
        writer(action.value);
        writer.list(action.arguments, [&](NodeId& id) { writer(id); });
      }
    }
  }
  for (const auto& schedule : model.schedules()) {
    Schedule table = *schedule;
    Past& past = table.past;
    for (auto* numbers : {&table.times, &table.values, &past.points, &past.values}) {
      writer.list(*numbers, [&](double& value) { writer(value); });
    }
    for (std::string* name : {&past.signal, &past.other, &past.position}) writer(*name);
    for (double* number : {&past.delay, &past.longest}) writer(*number);
    writer(past.is_downstream);
  }
  return checksum(writer.take());
}

}  // namespace

std::string describe(const Model& model, const RunContext& context) {
  const SolveOptions& o = context.options;
  std::string names;
  for (const Variable& variable : model.variables()) names += variable.name + ' ';
  for (const Variable& variable : model.discretes()) names += variable.name + ' ';
  for (const std::string& column : o.columns) names += column + '\n';
  std::string numbers;
  for (const double value : context.parameters) numbers += fmt::format("{:a} ", value);
  for (const double time : o.stop_times) numbers += fmt::format("{:a} ", time);
  return fmt::format("{} {:016x} {:016x} {:016x} {} {} {:a} {:a} {:a} {:a} {:a} {:a} {} {} {}",
                     model.name(), checksum(model), checksum(names), checksum(numbers),
                     o.method.text(), o.integrator.text(), *o.rtol, o.atol, o.fixed_step,
                     o.initial_step, o.max_step, o.interval, o.has_step_rows, o.watch_singularities,
                     o.keep_rows);
}

std::string to_bytes(Checkpoint checkpoint) {
  Writer writer;
  transfer(writer, checkpoint);
  std::string content = writer.take();
  Writer sum;
  std::uint64_t hash = checksum(content);
  sum(hash);
  return std::string(magic) + sum.take() + content;
}

Checkpoint checkpoint_from(std::string_view bytes) {
  if (!bytes.starts_with(magic)) refuse_checkpoint("This is not a checkpoint of this version.");
  bytes.remove_prefix(magic.size());
  std::uint64_t hash = 0;
  Reader head(bytes);
  head(hash);
  bytes.remove_prefix(8);
  if (hash != checksum(bytes)) {
    refuse_checkpoint("The checkpoint is damaged: its checksum does not match.");
  }
  Checkpoint checkpoint;
  Reader reader(bytes);
  transfer(reader, checkpoint);
  if (!reader.at_end()) refuse_checkpoint("The checkpoint is damaged: it is too long.");
  return checkpoint;
}

}  // namespace daedal::solve_detail
