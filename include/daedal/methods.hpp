// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The catalogue: every method, integrator and boundary value method, each as a small struct with
/// its fields, and the tables that list them. `daedal methods` prints these tables.

#include <daedal/selection.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

struct MethodCategory {};
struct IntegratorCategory {};
struct BvpMethodCategory {};

/// A method of initial value problems; "auto" unless one is given.
using Method = Selection<MethodCategory>;
using Integrator = Selection<IntegratorCategory>;
using BvpMethod = Selection<BvpMethodCategory>;

// ---------------------------------------------------------------------------------- methods

/// The equations as written, index at most 1, for implicit integrators.
struct Direct {
  using Category = MethodCategory;
  static constexpr std::string_view name = "direct";
  static constexpr std::tuple<> fields() { return {}; }
};

/// x' = f(t, x), algebraic equations solved inside, index at most 1.
struct Ode {
  using Category = MethodCategory;
  static constexpr std::string_view name = "ode";
  static constexpr std::tuple<> fields() { return {}; }
};

struct DummyDerivatives {
  using Category = MethodCategory;
  static constexpr std::string_view name = "dummy-derivatives";
  double switch_ratio = 0.9;
  bool fixed = false;
  static constexpr auto fields() {
    return std::tuple{
        field(
            "switch_ratio", &DummyDerivatives::switch_ratio,
            "a selection is left when its smallest pivot falls below this share of the best one's",
            {.minimum = 0.0, .maximum = 1.0, .excludes_minimum = true}),
        field("fixed", &DummyDerivatives::fixed,
              "1: keep the first selection to its singular end")};
  }
};

/// x' = f(t, x) in the selected states alone, for explicit and implicit integrators.
struct StatesOnly {
  using Category = MethodCategory;
  static constexpr std::string_view name = "states-only";
  double switch_ratio = 0.9;
  bool fixed = false;
  static constexpr auto fields() {
    return std::tuple{
        field("switch_ratio", &StatesOnly::switch_ratio,
              "as for dummy-derivatives: when a selection is left",
              {.minimum = 0.0, .maximum = 1.0, .excludes_minimum = true}),
        field("fixed", &StatesOnly::fixed, "1: keep the first selection to its singular end")};
  }
};

/// Constraints on position level, multipliers of index 3.
struct Index3 {
  using Category = MethodCategory;
  static constexpr std::string_view name = "index3";
  static constexpr std::tuple<> fields() { return {}; }
};

/// Constraints on velocity level.
struct Index2 {
  using Category = MethodCategory;
  static constexpr std::string_view name = "index2";
  static constexpr std::tuple<> fields() { return {}; }
};

/// Constraints on acceleration level: it drifts.
struct Index1 {
  using Category = MethodCategory;
  static constexpr std::string_view name = "index1";
  static constexpr std::tuple<> fields() { return {}; }
};

/// g'' + 2 alpha g' + beta^2 g = 0 in place of g'' = 0.
struct Baumgarte {
  using Category = MethodCategory;
  static constexpr std::string_view name = "baumgarte";
  std::optional<double> alpha{};
  std::optional<double> beta{};
  std::optional<double> gamma{};
  std::optional<int> index{};
  std::optional<bool> paper{};
  static constexpr auto fields() {
    return std::tuple{
        field("alpha", &Baumgarte::alpha, "damping rate of the velocity constraint [by the motion]",
              positive),
        field("beta", &Baumgarte::beta, "rate of the position constraint [alpha]", positive),
        field("gamma", &Baumgarte::gamma, "rate of all levels, in place of both [by the motion]",
              positive),
        field("index", &Baumgarte::index,
              "mechanics by gamma: 2: velocity constraint alone, 3: position [3]",
              {.minimum = 2.0}),
        field("paper", &Baumgarte::paper,
              "1: index 3 without second derivatives, as published [0]")};
  }
};

/// Gear, Gupta and Leimkuhler: constraints on position and velocity level.
struct Ggl {
  using Category = MethodCategory;
  static constexpr std::string_view name = "ggl";
  static constexpr std::tuple<> fields() { return {}; }
};

struct StabilizedIndex1 {
  using Category = MethodCategory;
  static constexpr std::string_view name = "stabilized-index1";
  static constexpr std::tuple<> fields() { return {}; }
};

struct OverdeterminedIndex1 {
  using Category = MethodCategory;
  static constexpr std::string_view name = "overdetermined-index1";
  static constexpr std::tuple<> fields() { return {}; }
};

struct OverdeterminedIndex2 {
  using Category = MethodCategory;
  static constexpr std::string_view name = "overdetermined-index2";
  static constexpr std::tuple<> fields() { return {}; }
};

struct OrthogonalProjection {
  using Category = MethodCategory;
  static constexpr std::string_view name = "orthogonal-projection";
  std::optional<bool> euclidean{};
  static constexpr auto fields() {
    return std::tuple{field("euclidean", &OrthogonalProjection::euclidean,
                            "1: project in the Euclidean metric, 0: in that of the masses [0]")};
  }
};

struct SymmetricProjection {
  using Category = MethodCategory;
  static constexpr std::string_view name = "symmetric-projection";
  static constexpr std::tuple<> fields() { return {}; }
};

struct CoordinatePartitioning {
  using Category = MethodCategory;
  static constexpr std::string_view name = "coordinate-partitioning";
  double switch_ratio = 0.95;
  bool fixed = false;
  static constexpr auto fields() {
    return std::tuple{
        field("switch_ratio", &CoordinatePartitioning::switch_ratio,
              "a chart is left when its quality falls below this share of the best one's",
              {.minimum = 0.0, .maximum = 1.0, .excludes_minimum = true}),
        field("fixed", &CoordinatePartitioning::fixed,
              "1: keep the first chart to its singular end")};
  }
};

struct TangentSpace {
  using Category = MethodCategory;
  static constexpr std::string_view name = "tangent-space";
  double switch_ratio = 0.95;
  bool fixed = false;
  static constexpr auto fields() {
    return std::tuple{
        field("switch_ratio", &TangentSpace::switch_ratio,
              "a chart is left when its quality falls below this share of the best one's",
              {.minimum = 0.0, .maximum = 1.0, .excludes_minimum = true}),
        field("fixed", &TangentSpace::fixed, "1: keep the first chart to its singular end")};
  }
};

/// Local coordinates given by the user: SolveOptions::chart.
struct UserChart {
  using Category = MethodCategory;
  static constexpr std::string_view name = "user-chart";
  static constexpr std::tuple<> fields() { return {}; }
};

/// What the methods of derivative arrays share is written out in each of them: a reader finds all
/// fields of a method in its own struct.
struct LeastSquaresCompletion {
  using Category = MethodCategory;
  static constexpr std::string_view name = "least-squares-completion";
  int max_index = 6;
  double epsilon = 1e-12;
  static constexpr auto fields() {
    return std::tuple{field("max_index", &LeastSquaresCompletion::max_index,
                            "differentiations that are tried", {.minimum = 0.0, .maximum = 12.0}),
                      field("epsilon", &LeastSquaresCompletion::epsilon,
                            "accuracy of the solved unknowns, relative to |x| + nominal",
                            {.minimum = 0.0, .maximum = 1e-3, .excludes_minimum = true})};
  }
};

struct DerivativeArray {
  using Category = MethodCategory;
  static constexpr std::string_view name = "derivative-array";
  int max_index = 6;
  double epsilon = 1e-12;
  double switch_gain = 2.0;
  static constexpr auto fields() {
    return std::tuple{
        field("max_index", &DerivativeArray::max_index, "differentiations that are tried",
              {.minimum = 0.0, .maximum = 12.0}),
        field("epsilon", &DerivativeArray::epsilon,
              "accuracy of the solved unknowns, relative to |x| + nominal",
              {.minimum = 0.0, .maximum = 1e-3, .excludes_minimum = true}),
        field("switch_gain", &DerivativeArray::switch_gain,
              "the partition changes when its smallest singular value can grow by this factor",
              {.minimum = 1.0, .excludes_minimum = true})};
  }
};

struct DerivativeArrayImplicit {
  using Category = MethodCategory;
  static constexpr std::string_view name = "derivative-array-implicit";
  int max_index = 6;
  static constexpr auto fields() {
    return std::tuple{field("max_index", &DerivativeArrayImplicit::max_index,
                            "differentiations that are tried", {.minimum = 0.0, .maximum = 12.0})};
  }
};

/// Taylor series of the solution by the structure of the equations, of any index.
struct Taylor {
  using Category = MethodCategory;
  static constexpr std::string_view name = "taylor";
  static constexpr std::tuple<> fields() { return {}; }
};

struct TrustRegion {
  using Category = MethodCategory;
  static constexpr std::string_view name = "trust-region";
  std::optional<double> gamma{};
  std::optional<double> epsilon{};
  std::optional<double> radius{};
  std::optional<int> index{};
  bool paper = false;
  std::optional<bool> projection{};
  bool watch = true;
  bool coupled = false;
  double singular_mass = 0.0;
  static constexpr auto fields() {
    return std::tuple{
        field("gamma", &TrustRegion::gamma, "rate at which violations decay [by the step]",
              positive),
        field("epsilon", &TrustRegion::epsilon,
              "weight of the multipliers' length [by the tolerance]", positive),
        field("radius", &TrustRegion::radius,
              "greatest length of the multipliers, in place of epsilon", positive),
        field("index", &TrustRegion::index,
              "2: constraints on velocity level, 3: on position level [3, or the model's]",
              {.minimum = 2.0}),
        field("paper", &TrustRegion::paper, "1: index 3 without second derivatives, as published"),
        field("projection", &TrustRegion::projection,
              "1: project every step [1 for index 3 in full, else 0]"),
        field("watch", &TrustRegion::watch, "1: look for singular positions on the way"),
        field("coupled", &TrustRegion::coupled,
              "1: as a DAE with the equations of motion, for implicit schemes"),
        field("singular_mass", &TrustRegion::singular_mass,
              "shift of M'M for a singular mass matrix, 0: none", nonnegative)};
  }
};

struct DirectRegularization {
  using Category = MethodCategory;
  static constexpr std::string_view name = "direct-regularization";
  double gamma = 1e3;
  double epsilon = 1e-6;
  std::optional<int> index{};
  bool paper = false;
  bool coupled = false;
  bool watch = true;
  static constexpr auto fields() {
    return std::tuple{
        field("gamma", &DirectRegularization::gamma,
              "rate at which violations of the constraints decay", positive),
        field("epsilon", &DirectRegularization::epsilon, "what is added to the diagonal", positive),
        field("index", &DirectRegularization::index,
              "2: constraints on velocity level, 3: on position level [3, or the model's]",
              {.minimum = 2.0}),
        field("paper", &DirectRegularization::paper,
              "1: index 3 without second derivatives, as published"),
        field("coupled", &DirectRegularization::coupled,
              "1: as a DAE with the equations of motion, for implicit schemes"),
        field("watch", &DirectRegularization::watch, "1: look for singular positions on the way")};
  }
};

/// The matrix E of the sequential regularisation, with A = GM⁻¹B (CB in the paper).
enum class SrmGain {
  automatic,
  inverse,    ///< A⁻¹: all violations decay at the rate 1/ε; needs A regular but for isolated times
  transpose,  ///< Aᵀ: exists always, never unstable
  identity,   ///< I: for A symmetric positive semidefinite
  shifted,    ///< (A + δI)⁻¹: the same, with rates nearer to 1/ε
};
inline constexpr std::string_view srm_gains[] = {"automatic", "inverse", "transpose", "identity",
                                                 "shifted"};

/// What the sequential regularisation and its relatives have in common.
template <class Method>
constexpr auto regularization_fields() {
  return std::tuple{
      field("epsilon", &Method::epsilon,
            "regularisation parameter [by the tolerance and the time scale]", positive),
      field("E", &Method::gain, "1: (CB)^-1, 2: (CB)', 3: I, 4: (CB + delta I)^-1, 0: chosen", {},
            srm_gains),
      field("delta", &Method::delta, "of E = 4 [the scale of CB at the start]", positive),
      field("gamma", &Method::gamma, "rate of the stable reduction of systems of order above 1",
            positive)};
}

/// Sequential regularisation.
struct Srm {
  using Category = MethodCategory;
  static constexpr std::string_view name = "srm";
  std::optional<double> epsilon{};
  SrmGain gain = SrmGain::automatic;
  std::optional<double> delta{};
  double gamma = 10.0;
  std::optional<int> iterations{};
  std::optional<int> start_order{};
  double alpha1 = 0.0;
  double alpha2 = 1.0;
  static constexpr auto fields() {
    return std::tuple_cat(
        regularization_fields<Srm>(),
        std::tuple{
            field("iterations", &Srm::iterations,
                  "number of iterates, advanced together [by the tolerance]",
                  {.minimum = 1.0, .maximum = 12.0}),
            field("start_order", &Srm::start_order,
                  "derivatives of y at the start that the first iterate has [iterations - 1]",
                  {.minimum = -1.0, .maximum = 8.0}),
            field("alpha1", &Srm::alpha1,
                  "weight of the constraints' derivative: only without singularities", nonnegative),
            field("alpha2", &Srm::alpha2, "weight of the constraints", nonnegative)});
  }
};

struct Penalty {
  using Category = MethodCategory;
  static constexpr std::string_view name = "penalty";
  std::optional<double> epsilon{};
  SrmGain gain = SrmGain::automatic;
  std::optional<double> delta{};
  double gamma = 10.0;
  static constexpr auto fields() { return regularization_fields<Penalty>(); }
};

struct ParkChiou {
  using Category = MethodCategory;
  static constexpr std::string_view name = "park-chiou";
  std::optional<double> epsilon{};
  SrmGain gain = SrmGain::automatic;
  std::optional<double> delta{};
  double gamma = 10.0;
  static constexpr auto fields() { return regularization_fields<ParkChiou>(); }
};

// ------------------------------------------------------------------------------ integrators

/// What becomes of unknowns whose index is 2 or 3 in the norms.
enum class IndexWeights {
  none,     ///< they are tested like all others
  by_step,  ///< their weight is multiplied by min(1, |h|)^(index - 1)
  exclude,  ///< they are left out
};
inline constexpr std::string_view index_weight_names[] = {"none", "by_step", "exclude"};
/// What an overdetermined system is corrected by.
enum class Corrector { state_space_form, least_squares, constrained_least_squares };
inline constexpr std::string_view corrector_names[] = {"state_space_form", "least_squares",
                                                       "constrained_least_squares"};

/// What factors the matrices of an implicit scheme.
enum class SparseSolver {
  automatic,  ///< by size, density and expected fill
  klu,        ///< entry by entry, with kept pivots
  fronts,     ///< by dense matrices, for factors that fill up
};
inline constexpr std::string_view sparse_solver_names[] = {"auto", "klu", "fronts"};
inline constexpr std::string_view sparse_solver_help =
    "what factors the matrices of square systems";

struct Bdf {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "bdf";
  IndexWeights index_weights = IndexWeights::by_step;
  Corrector corrector = Corrector::state_space_form;
  SparseSolver linear_solver = SparseSolver::automatic;
  static constexpr auto fields() {
    return std::tuple{
        field("index_weights", &Bdf::index_weights,
              "weight of unknowns of index 2 and 3 in the norms", {}, index_weight_names),
        field("corrector", &Bdf::corrector, "what corrects an overdetermined system", {},
              corrector_names),
        field("linear_solver", &Bdf::linear_solver, sparse_solver_help, {}, sparse_solver_names)};
  }
};

struct Adams {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "adams";
  bool newton = false;
  std::optional<int> lower_bandwidth{};
  std::optional<int> upper_bandwidth{};
  static constexpr auto fields() {
    return std::tuple{
        field("newton", &Adams::newton, "1: Newton's method in place of fixed-point iteration"),
        field("lower_bandwidth", &Adams::lower_bandwidth, "of the Jacobian [full]", nonnegative),
        field("upper_bandwidth", &Adams::upper_bandwidth, "of the Jacobian [full]", nonnegative)};
  }
};

struct CvodeBdf {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "cvode-bdf";
  std::optional<int> lower_bandwidth{};
  std::optional<int> upper_bandwidth{};
  static constexpr auto fields() {
    return std::tuple{
        field("lower_bandwidth", &CvodeBdf::lower_bandwidth, "of the Jacobian [full]", nonnegative),
        field("upper_bandwidth", &CvodeBdf::upper_bandwidth, "of the Jacobian [full]",
              nonnegative)};
  }
};

struct Dop853 {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "dop853";
  static constexpr std::tuple<> fields() { return {}; }
};

struct Dopri5 {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "dopri5";
  static constexpr std::tuple<> fields() { return {}; }
};

/// Steps along the Taylor series that the method 'taylor' makes.
struct TaylorSteps {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "taylor";
  int order = 0;
  static constexpr auto fields() {
    return std::tuple{field("order", &TaylorSteps::order,
                            "of the series; 0: by the tolerance and the work of a step",
                            {.minimum = 0.0, .maximum = 60.0})};
  }
};

struct Rk4 {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "rk4";
  static constexpr std::tuple<> fields() { return {}; }
};

struct EulerForward {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "euler-forward";
  static constexpr std::tuple<> fields() { return {}; }
};

struct Radau {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "radau";
  int stages = 0;
  IndexWeights index_weights = IndexWeights::by_step;
  SparseSolver linear_solver = SparseSolver::automatic;
  static constexpr auto fields() {
    return std::tuple{
        field("stages", &Radau::stages, "1, 3 or 5; 0: switched by convergence",
              {.minimum = 0.0, .maximum = 5.0}),
        field("index_weights", &Radau::index_weights,
              "weight of unknowns of index 2 and 3 in the norms", {}, index_weight_names),
        field("linear_solver", &Radau::linear_solver, sparse_solver_help, {}, sparse_solver_names)};
  }
};

struct Gauss {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "gauss";
  int stages = 2;
  IndexWeights index_weights = IndexWeights::by_step;
  static constexpr auto fields() {
    return std::tuple{
        field("stages", &Gauss::stages, "1, 2 or 3", {.minimum = 1.0, .maximum = 3.0}),
        field("index_weights", &Gauss::index_weights,
              "weight of unknowns of index 2 and 3 in the norms", {}, index_weight_names)};
  }
};

struct EulerBackward {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "euler-backward";
  IndexWeights index_weights = IndexWeights::by_step;
  static constexpr auto fields() {
    return std::tuple{field("index_weights", &EulerBackward::index_weights,
                            "weight of unknowns of index 2 and 3 in the norms", {},
                            index_weight_names)};
  }
};

struct BdfFixed {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "bdf-fixed";
  int order = 2;
  Corrector corrector = Corrector::state_space_form;
  static constexpr auto fields() {
    return std::tuple{
        field("order", &BdfFixed::order, "of the formula", {.minimum = 1.0, .maximum = 6.0}),
        field("corrector", &BdfFixed::corrector, "what corrects an overdetermined system", {},
              corrector_names)};
  }
};

struct Abm5 {
  using Category = IntegratorCategory;
  static constexpr std::string_view name = "abm5";
  static constexpr std::tuple<> fields() { return {}; }
};

// ------------------------------------------------------------------- boundary value methods

/// Collocation of the equations as written, or after a stable reduction to index 2.
struct Collocation {
  using Category = BvpMethodCategory;
  static constexpr std::string_view name = "collocation";
  static constexpr std::tuple<> fields() { return {}; }
};

/// Sequential regularisation, for constraints that become singular.
struct BvpSrm {
  using Category = BvpMethodCategory;
  static constexpr std::string_view name = "srm";
  std::optional<double> epsilon{};
  SrmGain gain = SrmGain::inverse;
  double delta = 1e-3;
  double gamma = 10.0;
  int iterations = 3;
  bool shoot_back = true;
  static constexpr auto fields() {
    return std::tuple{
        field("epsilon", &BvpSrm::epsilon,
              "regularisation parameter [by the tolerance and the interval]", positive),
        field("E", &BvpSrm::gain, "1: (CB)^-1, 2: (CB)', 3: I, 4: (CB + delta I)^-1",
              {.minimum = 1.0}, srm_gains),
        field("delta", &BvpSrm::delta, "of E = 4", nonnegative),
        field("gamma", &BvpSrm::gamma, "rate of the stable reduction of systems of order above 1",
              positive),
        field("iterations", &BvpSrm::iterations, "length of the chain",
              {.minimum = 1.0, .maximum = 20.0}),
        field("shoot_back", &BvpSrm::shoot_back, "1: take initial layers away by shooting back")};
  }
};

/// The constraints damped at one rate.
struct BvpBaumgarte {
  using Category = BvpMethodCategory;
  static constexpr std::string_view name = "baumgarte";
  std::optional<double> gamma{};
  static constexpr auto fields() {
    return std::tuple{field("gamma", &BvpBaumgarte::gamma,
                            "rate at which violations decay [ten over the interval]", positive)};
  }
};

// -------------------------------------------------------------------------------- catalogue

/// What a model must be recognised as.
enum class RequiredView {
  general,      ///< any model
  hessenberg,   ///< x⁽ᵐ⁾ = f − By with 0 = g(x)
  constrained,  ///< constrained mechanics, or else x' = f(x, u) with 0 = g(x)
  mechanical,   ///< constrained mechanics alone
};
DAEDAL_EXPORT std::string_view to_string(RequiredView view);

/// What a method hands to the integrator.
enum class SystemKind { explicit_system, implicit_system, overdetermined_system };
/// "explicit", "implicit", "overdetermined".
DAEDAL_EXPORT std::string_view to_string(SystemKind kind);

struct MethodInfo {
  std::string_view name{};
  std::string_view summary{};  ///< one sentence
  std::string_view paper{};    ///< "Poell, Hafner 5.1"
  RequiredView needs = RequiredView::general;
  SystemKind yields = SystemKind::explicit_system;
  std::string_view default_integrator{};
  std::vector<FieldInfo> fields{};
};

struct Capabilities {
  bool explicit_systems = false;
  bool implicit_systems = false;
  bool overdetermined_systems = false;
  bool error_controlled = true;
  bool fixed_step = false;
  bool symmetric = false;
  bool projects = false;       ///< takes a projection after a step
  bool keeps_history = false;  ///< where equations change and unknowns do not
  bool needs_series = false;   ///< steps explicit systems that give their Taylor series alone
  int max_index = 1;           ///< of implicit systems
  /// Explicit schemes: steps h are stable on x' = −λx up to this value of hλ.
  double real_stability = std::numeric_limits<double>::infinity();
};

struct IntegratorInfo {
  std::string_view name{};
  std::string_view summary{};
  Capabilities can{};
  std::vector<FieldInfo> fields{};
};

struct BvpMethodInfo {
  std::string_view name{};
  std::string_view summary{};
  std::string_view paper{};
  std::vector<FieldInfo> fields{};
};

/// The catalogue, in the order in which it is printed.
DAEDAL_EXPORT std::vector<MethodInfo> methods();
DAEDAL_EXPORT std::vector<IntegratorInfo> integrators();
DAEDAL_EXPORT std::vector<BvpMethodInfo> bvp_methods();

}  // namespace daedal
