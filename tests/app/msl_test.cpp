// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

/// The script that `make msl` calls.
ProgramResult run_folder(const ScratchFolder& folder, const std::string& options) {
  return run_command(fmt::format("{}/scripts/msl.py {} --daedal {} {}", DAEDAL_SOURCE_DIR,
                                 folder.file("."), DAEDAL_PROGRAM, options));
}

std::string exported(const std::string& name, const std::string& body) {
  return fmt::format(
      "//! base 0.1.0\npackage '{0}'\n  model '{0}'\n{1}    annotation(experiment(StopTime = "
      "2));\n  end '{0}';\nend '{0}';\n",
      name, body);
}

std::string decay(const std::string& name) {
  return exported(name,
                  "    Real 'body.v[1]'(start = 1.0, fixed = true);\n"
                  "  equation\n    der('body.v[1]') = -'body.v[1]';\n");
}

/// exp(-t) times a factor, which is 1 for the true solution.
std::string decay_reference(double factor) {
  std::string text = "\"time\",\"body.v[1]\"\n";
  for (int k = 0; k <= 20; ++k)
    text += fmt::format("{},{}\n", 0.1 * k, factor * std::exp(-0.1 * k));
  return text;
}

nlohmann::json row(const nlohmann::json& document, const std::string& model) {
  for (const auto& entry : document["models"])
    if (entry["model"] == model) return entry;
  return {};
}

TEST(Msl, TellsAgreementFromDisagreement) {
  const ScratchFolder folder;
  folder.write("True.bmo", decay("True"));
  folder.write("True.csv", decay_reference(1.0));
  folder.write("Off.bmo", decay("Off"));
  folder.write("Off.csv", decay_reference(1.03));  // 3 % of its greatest value, at t = 0
  folder.write("Near.bmo", decay("Near"));
  folder.write("Near.csv", decay_reference(1.019));
  const auto r = run_folder(folder, "--json -");
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const auto json = r.json();
  const auto good = row(json, "True");
  EXPECT_EQ(good["parsed"], true);
  EXPECT_EQ(good["equations"], 1);
  EXPECT_EQ(good["states"], 1);
  EXPECT_EQ(good["status"], "success");
  EXPECT_EQ(good["agrees"], true);
  EXPECT_EQ(row(json, "Near")["agrees"], true);
  const auto off = row(json, "Off");
  EXPECT_EQ(off["agrees"], false);
  EXPECT_EQ(off["worst"]["signal"], "body.v[1]");
  EXPECT_NEAR(off["worst"]["deviation"].get<double>(), 0.03 / 1.03, 1e-4);
  EXPECT_EQ(off["worst"]["time"], 0.0);
}

// Both sides of a jump are the solution at its instant.
TEST(Msl, ComparesJumpsOnTheirOwnSide) {
  const ScratchFolder folder;
  folder.write(
      "Step.bmo",
      exported("Step", "    Real 'x';\n  equation\n    'x' = if time < 1 then 0 else 1;\n"));
  folder.write("Step.csv", "time,x\n0,0\n0.5,0\n1,0\n1,1\n1.5,1\n2,1\n");
  const auto r = run_folder(folder, "");
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("1 of 1 models solved and in agreement"));
}

TEST(Msl, ReportsEveryKindOfFailureAndGoesOn) {
  const ScratchFolder folder;
  folder.write("Broken.bmo", exported("Broken", "    Real 'x'\n  equation\n"));
  folder.write("Lacking.bmo", decay("Lacking"));
  folder.write("Lacking.csv", "time,y\n0,0\n2,0\n");
  folder.write("Alone.bmo", decay("Alone"));
  const auto r = run_folder(folder, "--json " + folder.file("rows.json"));
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("no reference"));
  EXPECT_THAT(r.out, HasSubstr("1 of 3 models solved and in agreement"));
  const auto json = nlohmann::json::parse(folder.read("rows.json"));
  EXPECT_EQ(row(json, "Broken")["parsed"], false);
  EXPECT_EQ(row(json, "Broken")["passed"], false);
  EXPECT_EQ(row(json, "Lacking")["passed"], false);
  EXPECT_EQ(row(json, "Alone")["passed"], true);
}

TEST(Msl, RefusesAFolderWithoutModels) {
  const ScratchFolder folder;
  const auto r = run_folder(folder, "");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("no model"));
}

}  // namespace
}  // namespace daedal::test
