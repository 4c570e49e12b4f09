// SPDX-License-Identifier: BSD-3-Clause
/// Drafts, models, model text and their analysis.

#include <daedal/analyze.hpp>
#include <daedal/inputs.hpp>
#include <daedal/methods.hpp>
#include <daedal/modelica.hpp>
#include <span>
#include <string>

#include "bindings.hpp"

namespace daedal::python {

namespace {

using DraftHolder = std::shared_ptr<Draft>;
using LagrangianHolder = std::shared_ptr<LagrangianDraft>;

SourcePosition position(const py::object& where) {
  if (where.is_none()) return {};
  const auto pair = where.cast<std::pair<std::string, int>>();
  return {.file = pair.first, .line = pair.second};
}

ValueType value_type(const std::string& name) {
  if (name == "real") return ValueType::real;
  if (name == "integer") return ValueType::integer;
  if (name == "boolean") return ValueType::boolean;
  throw py::value_error("The type of a variable is 'real', 'integer' or 'boolean', not '" + name +
                        "'.");
}

VariableDraft variable_draft(const DraftHolder& draft, const std::string& name,
                             const py::object& start, const py::kwargs& options) {
  VariableDraft made{.name = name, .start = optional_node_of(draft, start)};
  const auto take = [&](const char* key, auto& target) {
    if (options.contains(key)) {
      target = options[key].cast<std::remove_reference_t<decltype(target)>>();
    }
  };
  take("fixed", made.options.fixed);
  take("nominal", made.options.nominal);
  take("min", made.options.min);
  take("max", made.options.max);
  take("unit", made.options.unit);
  take("description", made.options.description);
  bool is_input = false;
  take("is_input", is_input);
  if (is_input) made.options.causality = Causality::input;
  std::string type = "real";
  take("type", type);
  made.options.type = value_type(type);
  return made;
}

/// The variables of a traced function, all at once: F is traced in microseconds.
py::list variable_block(const DraftHolder& draft, const std::vector<std::string>& names,
                        const Doubles& start, const std::vector<bool>& fixed,
                        const Doubles& nominal) {
  py::list symbols;
  for (std::size_t i = 0; i < names.size(); ++i) {
    VariableDraft made{.name = names[i], .start = draft->tape.constant(start.data()[i])};
    made.options.fixed = fixed[i];
    made.options.nominal = nominal.data()[i];
    symbols.append(Symbol{draft, draft->variable(std::move(made))});
  }
  return symbols;
}

py::list parameter_block(const DraftHolder& draft, const std::vector<std::string>& names,
                         const Doubles& values) {
  py::list symbols;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TapeId value = draft->tape.constant(values.data()[i]);
    symbols.append(Symbol{draft, draft->parameter({.name = names[i], .value = value})});
  }
  return symbols;
}

/// Expressions to be evaluated with numbers.
struct Roots {
  DraftHolder draft;
  std::vector<TapeId> ids{};
};

/// The values of the roots at points, a row each, with the magnitudes of their terms.
py::tuple evaluate(const Roots& roots, const Doubles& t, const Doubles& y, const Doubles& yp,
                   const Doubles& parameters) {
  const auto n_points = static_cast<std::size_t>(t.size());
  const auto n = n_points == 0 ? 0 : static_cast<std::size_t>(y.size()) / n_points;
  const auto n_roots = roots.ids.size();
  if (static_cast<std::size_t>(yp.size()) != n * n_points || roots.draft->variables.size() > n ||
      static_cast<std::size_t>(parameters.size()) < roots.draft->parameters.size()) {
    throw py::value_error("The values do not fit the variables and parameters of the model.");
  }
  Doubles values({n_points, n_roots});
  Doubles magnitudes({n_points, n_roots});
  for (std::size_t i = 0; i < n_points; ++i) {
    roots.draft->tape.evaluate(
        {.t = t.data()[i],
         .y = {y.data() + i * n, n},
         .yp = {yp.data() + i * n, n},
         .parameters = {parameters.data(), static_cast<std::size_t>(parameters.size())}},
        roots.ids, {values.mutable_data() + i * n_roots, n_roots},
        {magnitudes.mutable_data() + i * n_roots, n_roots});
  }
  return py::make_tuple(values, magnitudes);
}

/// The node of a condition. Throws TypeError for what is a number.
TapeId condition_of(const DraftHolder& draft, py::handle condition, const char* what) {
  const TapeId id = node_of(draft, condition);
  if (draft->is_number(id)) {
    throw py::type_error(std::string("The condition of ") + what +
                         " must be a relation such as x < 0.5, not the number " +
                         py::repr(condition).cast<std::string>() + ".");
  }
  return id;
}

void add_when(const DraftHolder& draft, const Symbol& condition, const py::list& actions,
              const py::object& where) {
  WhenDraft made{.condition = condition_of(draft, py::cast(condition), "when()"),
                 .where = position(where)};
  for (const py::handle item : actions) {
    const auto action = item.cast<py::tuple>();
    const auto kind = action[0].cast<std::string>();
    if (kind == "set") {
      const auto target = action[1].cast<Symbol>();
      const TapeNode& node = draft->tape[node_of(draft, py::cast(target))];
      if (node.op != TapeOp::variable && node.op != TapeOp::discrete) {
        throw py::value_error("Only a variable gets a new value at an event, not an expression.");
      }
      const bool is_discrete = node.op == TapeOp::discrete;
      const std::int32_t number = node.number;
      made.actions.push_back(
          {.kind = is_discrete ? WhenAction::Kind::assign : WhenAction::Kind::reinit,
           .target = number,
           .value = node_of(draft, action[2])});
    } else {
      made.actions.push_back({.kind = WhenAction::Kind::terminate,
                              .value = optional_node_of(draft, action[1]),
                              .message = action[2].cast<std::string>()});
    }
  }
  draft->whens.push_back(std::move(made));
}

void bind_draft(py::module_& module) {
  py::class_<Roots>(module, "Roots")
      .def("__len__", [](const Roots& roots) { return roots.ids.size(); })
      .def("evaluate", &evaluate, "t"_a, "y"_a, "yp"_a, "parameters"_a)
      .def("nonlinear_derivatives", [](const Roots& roots) {
        return roots.draft->tape.nonlinear_derivatives(roots.ids, roots.draft->variables.size());
      });

  const auto add_to = [](std::vector<EquationDraft> Draft::* list) {
    return [list](const DraftHolder& draft, py::handle lhs, py::handle rhs, const std::string& name,
                  const py::object& where) {
      ((*draft).*list).push_back({node_of(draft, lhs), node_of(draft, rhs), name, position(where)});
    };
  };
  py::class_<Draft, DraftHolder>(module, "Draft")
      .def(py::init<std::string, std::string>(), "name"_a, "description"_a = "")
      .def_property_readonly("name", &Draft::name)
      .def("variable",
           [](const DraftHolder& draft, const std::string& name, const py::object& start,
              const py::kwargs& options) {
             return Symbol{draft, draft->variable(variable_draft(draft, name, start, options))};
           })
      .def("discrete",
           [](const DraftHolder& draft, const std::string& name, const py::object& start,
              const py::kwargs& options) {
             return Symbol{draft, draft->discrete(variable_draft(draft, name, start, options))};
           })
      .def("parameter",
           [](const DraftHolder& draft, const std::string& name, const py::object& value,
              const std::string& unit, const std::string& description, bool fixed) {
             ParameterDraft made{.name = name, .value = optional_node_of(draft, value)};
             made.options.unit = unit;
             made.options.description = description;
             made.options.fixed = fixed;
             return Symbol{draft, draft->parameter(std::move(made))};
           })
      .def("time", [](const DraftHolder& draft) { return Symbol{draft, draft->time()}; })
      .def("sample",
           [](const DraftHolder& draft, py::handle start, py::handle interval) {
             return Symbol{draft, draft->tape.make(TapeOp::sample, node_of(draft, start),
                                                   node_of(draft, interval))};
           })
      .def("variable_block", &variable_block)
      .def("parameter_block", &parameter_block)
      .def("set_start",
           [](const DraftHolder& draft, std::size_t variable, py::handle start, bool fixed) {
             VariableDraft& target = draft->variables.at(variable);
             target.start = node_of(draft, start);
             target.options.fixed = fixed;
           })
      .def("equation", add_to(&Draft::equations))
      .def("initial_equation", add_to(&Draft::initial_equations))
      .def("boundary_equation", add_to(&Draft::boundary_equations))
      .def("roots",
           [](const DraftHolder& draft, const py::sequence& items) {
             Roots roots{.draft = draft};
             for (const py::handle item : items) roots.ids.push_back(node_of(draft, item));
             return roots;
           })
      .def("residual_equations",
           [](const DraftHolder& draft, const Roots& roots, const std::vector<std::string>& names) {
             const TapeId zero = draft->tape.constant(0.0);
             for (std::size_t i = 0; i < roots.ids.size(); ++i) {
               draft->equations.push_back({.lhs = roots.ids[i], .rhs = zero, .name = names[i]});
             }
           })
      .def("when", &add_when)
      .def("assertion",
           [](const DraftHolder& draft, py::handle condition, const std::string& message,
              bool warning) {
             draft->assertions.push_back(
                 {condition_of(draft, condition, "require()"), message, warning});
           })
      .def("energy", [](const DraftHolder& draft,
                        py::handle energy) { draft->energy = node_of(draft, energy); })
      .def_property_readonly("n_operations", [](const Draft& draft) { return draft.tape.size(); })
      .def_property_readonly("variable_names",
                             [](const Draft& draft) {
                               std::vector<std::string> names;
                               for (const auto& variable : draft.variables)
                                 names.push_back(variable.name);
                               return names;
                             })
      .def_property_readonly("parameter_names",
                             [](const Draft& draft) {
                               std::vector<std::string> names;
                               for (const auto& parameter : draft.parameters) {
                                 names.push_back(parameter.name);
                               }
                               return names;
                             })
      .def("build", &Draft::build);

  py::class_<LagrangianDraft, Draft, LagrangianHolder>(module, "LagrangianDraft")
      .def(py::init<std::string, std::string>(), "name"_a, "description"_a = "")
      .def("coordinate",
           [](const LagrangianHolder& draft, const std::string& name, const py::object& start,
              bool fixed, const py::object& velocity_start, bool velocity_fixed,
              const std::string& velocity_name, double nominal, double velocity_nominal,
              const std::string& unit) {
             LagrangianDraft::CoordinateDraft made{.name = name};
             made.start = optional_node_of(draft, start);
             made.velocity_start = optional_node_of(draft, velocity_start);
             made.options.fixed = fixed;
             made.options.velocity_fixed = velocity_fixed;
             made.options.velocity_name = velocity_name;
             made.options.nominal = nominal;
             made.options.velocity_nominal = velocity_nominal;
             made.options.unit = unit;
             const auto [q, v] = draft->coordinate(std::move(made));
             return py::make_tuple(Symbol{draft, q}, Symbol{draft, v});
           })
      .def("kinetic_energy",
           [](const LagrangianHolder& draft, py::handle term) {
             draft->kinetic.push_back(node_of(draft, term));
           })
      .def("potential_energy",
           [](const LagrangianHolder& draft, py::handle term) {
             draft->potential.push_back(node_of(draft, term));
           })
      .def("force",
           [](const LagrangianHolder& draft, const Symbol& coordinate, py::handle force) {
             const TapeNode& node = draft->tape[node_of(draft, py::cast(coordinate))];
             if (node.op != TapeOp::variable || node.number % 2 != 0) {
               throw py::value_error("A force acts on a coordinate, not on an expression.");
             }
             const std::int32_t number = node.number / 2;
             draft->forces.emplace_back(number, node_of(draft, force));
           })
      .def("constraint", [](const LagrangianHolder& draft, py::handle g, const std::string& name) {
        draft->constraints.emplace_back(node_of(draft, g), name);
      });
}

py::dict described(const Variable& variable) {
  return py::dict("name"_a = variable.name, "fixed"_a = variable.fixed,
                  "nominal"_a = variable.nominal, "unit"_a = variable.unit,
                  "description"_a = variable.description);
}

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

void bind_model(py::module_& module) {
  py::class_<InputTable>(module, "InputTable")
      .def(py::init([](std::vector<double> times, std::vector<double> values, int interpolation,
                       std::vector<double> derivatives) {
        return InputTable{std::move(times), std::move(values),
                          static_cast<Interpolation>(interpolation), std::move(derivatives)};
      }));
  module.def("with_inputs", &with_inputs);
  py::class_<Model>(module, "Model")
      .def_property_readonly("inputs",
                             [](const Model& model) {
                               std::vector<std::string> names;
                               for (const ModelInput& input : model.inputs()) {
                                 names.push_back(model.variable_of(input).name);
                               }
                               return names;
                             })
      .def_property_readonly("name", &Model::name)
      .def_property_readonly("description", &Model::description)
      .def_property_readonly("variables", [](const Model& m) { return names_of(m.variables()); })
      .def_property_readonly("variable_info",
                             [](const Model& model) {
                               py::list rows;
                               for (const Variable& variable : model.variables()) {
                                 rows.append(described(variable));
                               }
                               return rows;
                             })
      .def_property_readonly("discretes", [](const Model& m) { return names_of(m.discretes()); })
      .def_property_readonly("parameters", [](const Model& m) { return names_of(m.parameters()); })
      .def("parameter_values",
           [](const Model& model, const Overrides& overrides) {
             const std::vector<double> values = model.parameter_values(overrides);
             py::dict by_name;
             for (std::size_t i = 0; i < values.size(); ++i) {
               by_name[py::str(model.parameters()[i].name)] = values[i];
             }
             return by_name;
           })
      .def_property_readonly("n_equations", [](const Model& m) { return m.equations().size(); })
      .def_property_readonly("has_boundary_equations",
                             [](const Model& m) { return !m.boundary_equations().empty(); })
      .def_property_readonly("has_energy", [](const Model& m) { return m.energy() != no_node; })
      .def_property_readonly("experiment", [](const Model& model) {
        const Experiment& e = model.experiment();
        return py::dict("start_time"_a = e.start_time, "stop_time"_a = e.stop_time,
                        "tolerance"_a = e.tolerance, "interval"_a = e.interval);
      });
  module.def(
      "parse_model",
      [](const std::string& text, const std::string& file, bool is_path,
         const Overrides& parameters) {
        std::vector<Diagnostic> warnings;
        const ParseOptions options{.parameters = parameters, .warnings = &warnings};
        const py::gil_scoped_release release;
        Model model = is_path ? load_model(text, options) : parse_model(text, file, options);
        std::vector<std::string> remarks;
        for (const Diagnostic& warning : warnings) remarks.push_back(warning.message);
        return std::pair(std::move(model), std::move(remarks));
      },
      "text"_a, "file"_a, "is_path"_a, "parameters"_a);
  module.def("parse_chart", &parse_chart);
}

void bind_catalogue(py::module_& module) {
  module.def("method_rows", [] {
    py::list rows;
    for (const MethodInfo& row : methods()) {
      rows.append(py::dict("name"_a = row.name, "summary"_a = row.summary, "paper"_a = row.paper,
                           "needs"_a = to_string(row.needs),
                           "default_integrator"_a = row.default_integrator));
    }
    return rows;
  });
  module.def("integrator_rows", [] {
    py::list rows;
    for (const IntegratorInfo& row : integrators()) {
      rows.append(py::dict("name"_a = row.name, "summary"_a = row.summary));
    }
    return rows;
  });
}

void bind_analysis(py::module_& module) {
  py::class_<Analysis>(module, "Analysis")
      .def_readonly("model_name", &Analysis::model_name)
      .def_readonly("n_variables", &Analysis::variables)
      .def_readonly("n_equations", &Analysis::equations)
      .def_property_readonly("status", [](const Analysis& a) { return to_string(a.status); })
      .def_property_readonly("success", [](const Analysis& a) { return is_success(a.status); })
      .def_readonly("message", &Analysis::message)
      .def_readonly("warnings", &Analysis::warnings)
      .def_readonly("notes", &Analysis::notices)
      .def_readonly("numerical_index", &Analysis::index)
      .def_readonly("numerical_states", &Analysis::states)
      .def_property_readonly("structural_index",
                             [](const Analysis& a) { return a.structure.index; })
      .def_property_readonly("structural_states",
                             [](const Analysis& a) { return a.structure.states; })
      .def_property_readonly("differentiated",
                             [](const Analysis& a) { return a.structure.differentiated; })
      .def_readonly("mobility", &Analysis::mobility)
      .def_property_readonly(
          "constraints",
          [](const Analysis& a) {
            py::list rows;
            for (const ConstraintsOfLevel& level : a.constraints) {
              rows.append(py::dict("level"_a = level.level, "count"_a = level.count,
                                   "equations"_a = level.equations));
            }
            return rows;
          })
      .def_readonly("free", &Analysis::free)
      .def_readonly("determined", &Analysis::determined)
      .def_property_readonly(
          "assumptions",
          [](const Analysis& a) {
            py::list rows;
            for (const Assumption& row : a.assumptions) {
              rows.append(py::dict("name"_a = row.name, "statement"_a = row.statement,
                                   "verdict"_a = to_string(row.verdict),
                                   "finding"_a = row.finding));
            }
            return rows;
          })
      .def_readonly("confidence", &Analysis::confidence)
      .def_readonly("consistent_start", &Analysis::consistent_start)
      .def_property_readonly("start",
                             [](const Analysis& a) {
                               py::dict values;
                               for (const StartValue& row : a.start)
                                 values[py::str(row.name)] = row.value;
                               return values;
                             })
      .def("report", &Analysis::report);
  module.def("analyze_structure", &analyze_structure, py::call_guard<py::gil_scoped_release>());
}

}  // namespace

void bind_models(py::module_& module) {
  bind_draft(module);
  bind_model(module);
  bind_catalogue(module);
  bind_analysis(module);
}

}  // namespace daedal::python
