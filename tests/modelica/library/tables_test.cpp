// SPDX-License-Identifier: BSD-3-Clause
/// The tables of the Modelica Standard Library, as exporting tools write them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;
using test::final_value;
using ::testing::HasSubstr;

constexpr double tolerance = 1e-7;

constexpr const char* definitions = R"(
  type 'Smooth' = enumeration('Linear', 'Akima', 'Constant', 'Monotone1', 'Monotone2', 'Makima');
  type 'Outside' = enumeration('Hold', 'LastTwo', 'Periodic', 'No');
  type 'Instants' = enumeration('Always', 'AtJumps', 'Never');
  class 'T1'
  extends ExternalObject;
    function constructor
      input String 'tableName';
      input String 'fileName';
      input Real[:, :] 'table';
      input Integer[:] 'columns';
      input 'Smooth' 'smoothness';
      input 'Outside' 'extrapolation' = 'Outside'.'LastTwo';
      output 'T1' 'it';
    external "C" 'it' = ModelicaStandardTables_CombiTable1D_init3('fileName');
    end constructor;
    function destructor
      input 'T1' 'it';
    external "C" ModelicaStandardTables_CombiTable1D_close('it');
    end destructor;
  end 'T1';
  class 'TT'
  extends ExternalObject;
    function constructor
      input String 'tableName';
      input String 'fileName';
      input Real[:, :] 'table';
      input Real 'startTime';
      input Integer[:] 'columns';
      input 'Smooth' 'smoothness';
      input 'Outside' 'extrapolation';
      input Real 'shiftTime' = 0.0;
      input 'Instants' 'timeEvents' = 'Instants'.'Always';
      output 'TT' 'it';
    external "C" 'it' = ModelicaStandardTables_CombiTimeTable_init3('fileName');
    end constructor;
    function destructor
      input 'TT' 'it';
    external "C" ModelicaStandardTables_CombiTimeTable_close('it');
    end destructor;
  end 'TT';
  function 'read'
    input 'T1' 'table';
    input Integer 'i';
    input Real 'u';
    output Real 'y';
  external "C" 'y' = ModelicaStandardTables_CombiTable1D_getValue('table', 'i', 'u') annotation(Library = "x");
  end 'read';
)";

ExportedModel table_of_u(const std::string& rows, const std::string& how, double stop) {
  return {"parameter 'T1' 't' = 'T1'(\"NoName\", \"NoName\", " + rows + ", {2}, " + how + ");\n" +
              "Real 'x'(start = 0.0, fixed = true); Real 'y';\n"
              "equation\n 'y' = 'read'('t', 1, time); der('x') = 'y';",
          definitions, stop};
}

// (0, 0), (1, 2), (3, 3): ∫ = 1 + 5 up to 3; beyond the last line goes on with 1/2.
TEST(Tables, LinearPiecesAndTheirContinuation) {
  const std::string rows = "{{0.0, 0.0}, {1.0, 2.0}, {3.0, 3.0}}";
  EXPECT_NEAR(final_value(table_of_u(rows, "'Smooth'.'Linear'", 4.0), "x"), 6.0 + 3.25, 1e-6);
  EXPECT_NEAR(final_value(table_of_u(rows, "'Smooth'.'Linear', 'Outside'.'Hold'", 4.0), "x"),
              6.0 + 3.0, 1e-6);
  // Again from the beginning: the value at 3 + 1/2 is that at 1/2.
  EXPECT_NEAR(final_value(table_of_u(rows, "'Smooth'.'Linear', 'Outside'.'Periodic'", 3.5), "y"),
              1.0, tolerance);
}

// Akima's slopes at equidistant points of a parabola are its derivatives.
TEST(Tables, AkimaReproducesAParabola) {
  const ExportedModel model = table_of_u(
      "{{0.0, 0.0}, {1.0, 1.0}, {2.0, 4.0}, {3.0, 9.0}, {4.0, 16.0}}", "'Smooth'.'Akima'", 3.7);
  EXPECT_NEAR(final_value(model, "y"), 3.7 * 3.7, tolerance);
  EXPECT_NEAR(final_value(model, "x"), 3.7 * 3.7 * 3.7 / 3.0, 1e-6);
}

// Data that rise and then stay: a monotone interpolant has the slope 0 at the corner and does not
// overshoot. On (0, 1) with slopes 1 (the first chord) and 0 the cubic is u + u² − u³.
TEST(Tables, MonotoneInterpolantsDoNotOvershoot) {
  for (const char* way : {"'Smooth'.'Monotone1'", "'Smooth'.'Monotone2'"}) {
    const std::string rows = "{{0.0, 0.0}, {1.0, 1.0}, {2.0, 1.0}, {3.0, 1.0}}";
    EXPECT_NEAR(final_value(table_of_u(rows, way, 0.5), "y"), 0.5 + 0.25 - 0.125, tolerance);
    EXPECT_NEAR(final_value(table_of_u(rows, way, 1.5), "y"), 1.0, tolerance);
  }
}

ExportedModel table_of_time(const std::string& rows, const std::string& how, double stop) {
  return {
      "parameter 'TT' 't' = 'TT'(\"NoName\", \"NoName\", " + rows + ", -1e60, {2}, " + how +
          ");\n" +
          "Real 'x'(start = 0.0, fixed = true); Real 'y';\n"
          "discrete Real 'next'(fixed = true, start = 0.0);\n"
          "equation\n when {time >= pre('next'), initial()} then\n"
          "'next' = 'Modelica.Blocks.Tables.Internal.getNextTimeEvent'('t', time);\n end when;\n"
          "'y' = 'Modelica.Blocks.Tables.Internal.getTimeTableValueNoDer'('t', 1, time, 'next', "
          "pre('next')); der('x') = 'y';",
      definitions, stop};
}

// 0 before 1, then 1, then 0 from 3 on.
TEST(Tables, StepsOfTimeAreEvents) {
  const ExportedModel model = table_of_time("{{1.0, 0.0}, {1.0, 1.0}, {3.0, 0.0}}",
                                            "'Smooth'.'Constant', 'Outside'.'Hold'", 4.0);
  EXPECT_NEAR(final_value(model, "x"), 2.0, tolerance);
}

// A saw: from 0 to 1 in one second, then 0 again, and so on.
TEST(Tables, APeriodicTableOfTimeTurns) {
  const ExportedModel model = table_of_time("{{0.0, 0.0}, {0.5, 0.5}, {1.0, 1.0}}",
                                            "'Smooth'.'Linear', 'Outside'.'Periodic'", 10.25);
  EXPECT_NEAR(final_value(model, "x"), 5.0 + 0.25 * 0.25 / 2.0, 1e-6);
  EXPECT_NEAR(final_value(model, "y"), 0.25, tolerance);
}

// A jump in the middle of a table, and a shift by half a second.
TEST(Tables, TablesOfTimeJumpAndAreShifted) {
  const ExportedModel model = table_of_time("{{0.0, 0.0}, {1.0, 1.0}, {1.0, 5.0}, {2.0, 5.0}}",
                                            "'Smooth'.'Linear', 'Outside'.'Hold', 0.5", 2.0);
  EXPECT_NEAR(final_value(model, "x"), 0.5 + 2.5, tolerance);
}

TEST(Tables, WhatCannotBeReadIsRefusedByName) {
  const auto message = [](const ExportedModel& model) -> std::string {
    try {
      parse_model(model.text());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  ExportedModel on_file = table_of_u("fill(0.0, 0, 2)", "'Smooth'.'Linear'", 1.0);
  const std::string none = "\"NoName\", \"NoName\"";
  on_file.body.replace(on_file.body.find(none), none.size(), "\"data\", \"curve.mat\"");
  EXPECT_THAT(message(on_file), HasSubstr("\"curve.mat\""));
  EXPECT_THAT(message(table_of_u("{{0.0, 0.0}, {0.0, 1.0}}", "'Smooth'.'Linear'", 1.0)),
              HasSubstr("must increase"));
}

}  // namespace
}  // namespace daedal
