// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A model: variables, parameters, equations and events, as an engineer writes them.
///
///     ModelBuilder b("Pendulum");
///     Expr g = b.parameter("g", 9.81);
///     Expr x = b.variable("x", {.start = 1.0, .fixed = true});
///     Expr y = b.variable("y"), lambda = b.variable("lambda");
///     b.equation(der(x, 2) == -lambda * x, "horizontal");
///     b.equation(der(y, 2) == -lambda * y - g, "vertical");
///     b.equation(x * x + y * y == 1, "rod");
///     Model pendulum = b.build();
///
/// A built model is immutable and may be shared between threads; copies are cheap.

#include <cstdint>
#include <daedal/error.hpp>
#include <daedal/expr.hpp>
#include <daedal/function.hpp>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

enum class ValueType { real, integer, boolean };
enum class StateSelect { never, avoid, standard, prefer, always };
/// An input is given from outside the model (inputs.hpp), an output is a result for others.
enum class Causality { local, input, output };

/// How a variable is declared in C++.
struct VariableOptions {
  std::optional<Expr> start{};  ///< an expression of parameters; absent means 0, a guess
  bool fixed = false;           ///< start is a wish that must hold, not a guess
  double nominal = 1.0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit{};
  std::string description{};
  ValueType type = ValueType::real;
  StateSelect state_select = StateSelect::standard;
  Causality causality = Causality::local;
  SourcePosition where{};
};

/// A variable of a model, continuous or discrete.
struct Variable {
  std::string name{};
  NodeId start = no_node;  ///< an expression of parameters, or no_node
  bool fixed = false;
  double nominal = 1.0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit{};
  std::string description{};
  ValueType type = ValueType::real;
  StateSelect state_select = StateSelect::standard;
  Causality causality = Causality::local;
  SourcePosition where{};
};

struct ParameterOptions {
  std::string unit{};
  std::string description{};
  ValueType type = ValueType::real;
  bool constant = false;  ///< cannot be overridden
  bool fixed = true;      ///< false: an unknown of the initial equations
  SourcePosition where{};
};

struct Parameter {
  std::string name{};
  NodeId value =
      no_node;  ///< an expression of parameters declared anywhere; no_node: must be given
  std::string unit{};
  std::string description{};
  ValueType type = ValueType::real;
  bool constant = false;
  bool fixed = true;
  SourcePosition where{};
};

/// lhs = rhs.
struct Equation {
  NodeId lhs = no_node;
  NodeId rhs = no_node;
  std::string name{};
  SourcePosition where{};
};

/// discrete := value, valid at every instant (Boolean b = x > 1), executed at events.
struct DiscreteEquation {
  std::int32_t discrete = -1;
  NodeId value = no_node;
  SourcePosition where{};
};

/// Code of the user that an event calls, with its time and the values of the arguments there. What
/// it throws ends the run and is passed on.
using EventCallback = std::function<void(double time, std::span<const double> arguments)>;

struct WhenAction {
  enum class Kind { assign, reinit, terminate, assertion, call };
  Kind kind = Kind::assign;
  std::int32_t target = -1;  ///< discrete variable (assign) or continuous variable (reinit)
  NodeId value = no_node;    ///< new value; what must hold (assertion); when to act (terminate,
                             ///< no_node: always)
  std::string message{};     ///< of terminate and assertion
  SourcePosition where{};
  EventCallback callback{};
  std::vector<NodeId> arguments{};  ///< of the callback
};

/// What an event does, as ModelBuilder::when() takes it.
struct EventAction {
  WhenAction::Kind kind = WhenAction::Kind::assign;
  Expr target{};
  Expr value = 1.0;
  std::string message{};
  EventCallback callback{};
  std::vector<Expr> arguments{};
};
/// A continuous variable, a state, has this value after the event.
DAEDAL_EXPORT EventAction reinit(Expr variable, Expr value);
/// A discrete variable has this value from the event on.
DAEDAL_EXPORT EventAction assign(Expr discrete, Expr value);
/// The run ends with Status::event_stop.
DAEDAL_EXPORT EventAction terminate(std::string message = {});
/// Code of the user is called. A run that begins anew, as `auto` may, calls it anew.
DAEDAL_EXPORT EventAction call(EventCallback callback, std::vector<Expr> arguments = {});

/// when condition then actions, elsewhen ...: executed when the condition becomes true.
struct WhenBranch {
  NodeId condition = no_node;
  std::vector<WhenAction> actions{};
};
struct WhenClause {
  std::vector<WhenBranch> branches{};
  SourcePosition where{};
  /// Clauses with the same number, not negative, stand in one algorithm and may assign the same
  /// variable: the last one that acts counts.
  std::int32_t algorithm = -1;
  /// From an initial equation: acts at the start, beside what assigns the variable later.
  bool is_initial = false;
};

/// assert(condition, message) of an equation section, checked at accepted steps.
struct Assertion {
  NodeId condition = no_node;
  std::string message{};
  bool warning = false;
  SourcePosition where{};
};

/// sample(start, interval).
struct Sampler {
  NodeId start = no_node;
  NodeId interval = no_node;
};

/// What a model reads of the past of its variables, as coefficients of polynomials that the run
/// makes.
struct Past {
  std::string signal{};  ///< whose past it is; where a flow carries it, the name of what goes in
  double delay = 0.0;    ///< it is read so many seconds ago, or where the next two say
  /// Discrete variables: a place that the polynomials do not reach, and where they end before it,
  /// below (-1) or above (1); 0: nowhere. Negative: there are none.
  std::int32_t place = -1, side = -1;
  double longest = 0.0;  ///< delays that change are never longer
  // A flow that carries the signal in at its one end, `other` at the other one, and has come so far
  // as `position` says. What it carried at the start lies on lines through points of [0, 1].
  std::string other{}, position{};
  bool is_downstream = false;  ///< it is read at 1, not at 0
  std::vector<double> points{}, values{};

  [[nodiscard]] bool is_moving() const { return place >= 0; }
  [[nodiscard]] bool is_carried() const { return !position.empty(); }
};

/// Discrete variables that take given values at given instants, as a table of an input makes them.
struct Schedule {
  std::vector<std::int32_t> discretes{};
  std::vector<double> times{};   ///< ascending; the first row holds before the first of them, too
  std::vector<double> values{};  ///< row-major, times.size() × discretes.size()
  bool is_smooth = false;        ///< what they are the coefficients of has a continuous derivative
  // What the table covers, and no run leaves.
  std::string input{};
  double begin = 0.0, end = 0.0;
  bool holds = false;  ///< the last value goes on beyond the end
  /// Where they are what a variable was: whether there is a past yet, middle and inverse of half
  /// the length of a stretch, then its powers; of pasts that move the ends of the stretch and
  /// whether it is the present stand before those.
  Past past{};
};

/// An input that is to be given, or that may be: what it has now is a default.
struct ModelInput {
  std::int32_t variable = -1;  ///< among the continuous or the discrete variables
  bool is_discrete = false;
  /// Its default among the equations, or the discrete equations; -1: it must be given.
  std::int32_t default_equation = -1;
};

/// annotation(experiment(...)) of the model text, and annotation(daedal(animate = "...")).
struct Experiment {
  std::optional<double> start_time{};
  std::optional<double> stop_time{};
  std::optional<double> tolerance{};
  std::optional<double> interval{};
  std::string animation{};  ///< shapes that reports draw, "rod(0,0; x,y)"

  /// The relative tolerance of runs whose options give none: the model's own, or the accuracy that
  /// engineering plots need, which other solvers take too.
  [[nodiscard]] double default_rtol() const { return tolerance.value_or(1e-6); }
};

/// Override values of parameters and start values by name.
using Overrides = std::map<std::string, double>;

class DAEDAL_EXPORT Model {
 public:
  struct Data;
  Model() = default;
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& description() const;
  /// The frozen pool of this model's expressions.
  [[nodiscard]] const std::shared_ptr<const Pool>& pool() const;
  [[nodiscard]] std::span<const Variable> variables() const;  ///< continuous unknowns
  [[nodiscard]] std::span<const Variable> discretes() const;  ///< discrete variables
  [[nodiscard]] std::span<const Parameter> parameters() const;
  [[nodiscard]] std::span<const Equation> equations() const;
  [[nodiscard]] std::span<const Equation> initial_equations() const;
  /// Conditions with values at the end of the interval; see ModelBuilder::boundary_equation.
  [[nodiscard]] std::span<const Equation> boundary_equations() const;
  [[nodiscard]] std::span<const DiscreteEquation> discrete_equations() const;
  [[nodiscard]] std::span<const WhenClause> when_clauses() const;
  [[nodiscard]] std::span<const Assertion> assertions() const;
  [[nodiscard]] std::span<const Sampler> samplers() const;
  [[nodiscard]] std::span<const std::shared_ptr<const Schedule>> schedules() const;
  /// What with_inputs() (inputs.hpp) can give values to.
  [[nodiscard]] std::span<const ModelInput> inputs() const;
  [[nodiscard]] const Variable& variable_of(const ModelInput& input) const;
  [[nodiscard]] const Experiment& experiment() const;
  /// The total energy as an expression of the variables, or no_node where it is not known.
  [[nodiscard]] NodeId energy() const;

  /// Numbers of every parameter, with overrides. Throws ModelError naming a parameter that is
  /// unknown, constant, missing, cyclic, or not finite.
  [[nodiscard]] std::vector<double> parameter_values(const Overrides& overrides = {}) const;
  /// Start values of the variables as they are written; nothing where none is.
  [[nodiscard]] std::vector<std::optional<double>> start_values(
      const Overrides& overrides = {}) const;

 private:
  std::shared_ptr<const Data> data_;
};

/// A flow of speed v = der(position) that carries `in0` in at y = 0 where it is positive, else
/// `in1` at y = 1. All but the condition are continuous variables.
struct Transport {
  Expr in0, in1, position, is_positive;
  /// What it carries at the start lies on lines through these points, of 0 to 1.
  std::vector<double> points{0.0, 1.0}, values{0.0, 0.0};
};

/// Builds a model. Names must be unique among variables, discrete variables and parameters.
class DAEDAL_EXPORT ModelBuilder {
 public:
  explicit ModelBuilder(std::string name, std::string description = {});
  ~ModelBuilder();
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  Expr variable(const std::string& name, const VariableOptions& options = {});
  Expr discrete(const std::string& name, const VariableOptions& options = {});
  /// What is given from outside: no equation of the model determines it (inputs.hpp). Booleans and
  /// Integers are discrete.
  Expr input(const std::string& name, VariableOptions options = {});
  Expr parameter(const std::string& name, Expr value, const ParameterOptions& options = {});
  /// A parameter without a value: it must be given when the model is solved.
  Expr parameter(const std::string& name, const ParameterOptions& options = {});
  Expr time();
  Expr pre(Expr variable) { return daedal::pre(variable); }
  /// The value of a continuous variable at the end of the interval, x(finalTime).
  Expr final_value(Expr variable);
  Expr sample(Expr start, Expr interval);
  /// What a continuous variable was so many seconds ago; before that, what it is at the start.
  Expr delay(Expr variable, double seconds);
  /// The same where the time changes; it is never negative and never longer than `longest`.
  Expr delay(Expr variable, Expr seconds, double longest);
  /// What leaves a flow at its ends, z(0, t) and z(1, t), where dz/dt + v dz/dy = 0 for 0 < y < 1.
  std::pair<Expr, Expr> transport(const Transport& flow);
  /// A function for expressions, with its derivatives behind it (function.hpp).
  template <class... F>
  Function function(std::string name, F... f_and_derivatives) {
    return Function(std::move(name), {Function::Real(std::move(f_and_derivatives))...});
  }
  /// The pool that every expression of this model lives in.
  Pool& pool();

  /// Changes the declaration of a variable that exists already (start, fixed, ...).
  void declare(Expr variable, const VariableOptions& options);
  /// Gives or replaces the start value of a variable that exists already.
  void set_start(Expr variable, Expr start);
  /// Gives or replaces the value of a parameter that exists already.
  void set_parameter(Expr parameter, Expr value);
  /// The structure of the model depends on this parameter: it can no longer be overridden.
  void make_constant(Expr parameter);

  void equation(const Equality& equation, std::string name = {}, SourcePosition where = {});
  void initial_equation(const Equality& equation, std::string name = {}, SourcePosition where = {});
  /// A condition of a boundary value problem: variables stand for their values at the beginning of
  /// the interval, final_value(x) for the value at its end. Without the latter it is an initial
  /// equation, and becomes one.
  void boundary_equation(const Equality& equation, std::string name = {},
                         SourcePosition where = {});
  void discrete_equation(Expr discrete, Expr value, SourcePosition where = {});
  void when(WhenClause clause);
  /// What is done whenever a condition becomes true:
  ///
  ///     b.when(h < 0, {reinit(v, -e * pre(v)), assign(n, pre(n) + 1)});
  void when(Expr condition, const std::vector<EventAction>& actions);
  /// The same for the clause that was stated last: when its conditions before this one are not
  /// true.
  void else_when(Expr condition, const std::vector<EventAction>& actions);
  void assertion(Assertion assertion);
  void experiment(const Experiment& experiment);
  /// States the total energy, so that runs can report how well it is kept.
  void energy(Expr energy);

  /// Checks names and balance, and freezes the pool. The builder is empty afterwards.
  /// Throws ModelError{unbalanced} naming surplus equations or undetermined variables.
  Model build();

 private:
  [[nodiscard]] Model::Data& data() const;
  std::unique_ptr<Model::Data> data_;
};

}  // namespace daedal
