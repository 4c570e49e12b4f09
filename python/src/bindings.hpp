// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the files of the extension module share.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <vector>

#include "draft.hpp"

namespace daedal::python {

namespace py = pybind11;
using namespace pybind11::literals;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A node of a draft, as Python holds it.
struct Symbol {
  std::shared_ptr<Draft> draft;
  TapeId id = no_id;
};

/// lhs == rhs, as Python writes it.
struct SymbolicEquation {
  Symbol lhs;
  Symbol rhs;
};

/// The node of a symbol, or of a number, in `draft`. Throws ValueError for symbols of another
/// model and TypeError for what is neither.
TapeId node_of(const std::shared_ptr<Draft>& draft, py::handle value);
/// no_id for None.
TapeId optional_node_of(const std::shared_ptr<Draft>& draft, py::handle value);

void bind_errors(py::module_& module);
void bind_expressions(py::module_& module);
void bind_models(py::module_& module);
void bind_solutions(py::module_& module);
void bind_runs(py::module_& module);
void bind_residuals(py::module_& module);
void bind_reports(py::module_& module);

}  // namespace daedal::python
