// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/error.hpp>

#include "bindings.hpp"

namespace daedal::python {

namespace {

py::object position(const SourcePosition& where) {
  if (!where.known() && where.file.empty()) return py::none();
  return py::make_tuple(where.file, where.line, where.column);
}

/// Raises the class of daedal._errors with this name, with the fields of the C++ exception.
void raise(const char* name, const Error& error, const py::object& diagnostics = py::none()) {
  const py::object type = py::module_::import("daedal._errors").attr(name);
  const py::object made =
      type(error.what(), "code"_a = std::string(to_string(error.code())),
           "where"_a = position(error.where()), "equations"_a = error.equations(),
           "variables"_a = error.variables());
  if (!diagnostics.is_none()) made.attr("diagnostics") = diagnostics;
  PyErr_SetObject(type.ptr(), made.ptr());
}

py::list listed(const ParseError& error) {
  py::list list;
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    list.append(py::make_tuple(position(diagnostic.where), diagnostic.message));
  }
  return list;
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ParseError& error) {
      raise("ParseError", error, listed(error));
    } catch (const ModelError& error) {
      raise("ModelError", error);
    } catch (const OptionError& error) {
      raise("OptionError", error);
    } catch (const Error& error) {
      const bool is_file = error.code() == ErrorCode::file_not_readable ||
                           error.code() == ErrorCode::file_not_writable;
      raise(is_file ? "FileError" : "Error", error);
    }
  });
}

}  // namespace daedal::python
