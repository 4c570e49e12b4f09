// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The JSON documents of the command line. One document per command and for every exit; numbers
/// that are not finite are null; names of statuses and codes are in kebab-case.

#include <daedal/analyze.hpp>
#include <daedal/bvp.hpp>
#include <daedal/compare.hpp>
#include <daedal/error.hpp>
#include <daedal/solution.hpp>
#include <nlohmann/json.hpp>

namespace daedal::io {

/// The keys that every document has: schema, version, warnings.
nlohmann::ordered_json document();

/// A number, or null when it is not finite.
nlohmann::ordered_json number(double value);

nlohmann::ordered_json to_json(const Solution& solution);
/// The same with mesh, error estimate, rounds and found parameters.
nlohmann::ordered_json to_json(const BvpSolution& solution);
nlohmann::ordered_json to_json(const Statistics& statistics);
nlohmann::ordered_json to_json(const Analysis& analysis);
nlohmann::ordered_json to_json(const Comparison& comparison);

/// The document of a run that could not start because of an error.
nlohmann::ordered_json error_document(const Error& error);
nlohmann::ordered_json error_document(std::string_view code, std::string_view message);

}  // namespace daedal::io
