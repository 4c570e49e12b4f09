// SPDX-License-Identifier: BSD-3-Clause
/// Mutated texts and printed expressions: nothing but a model or an error of the library comes out.

#include <gtest/gtest.h>

#include <algorithm>
#include <daedal/modelica.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "expr/print.hpp"
#include "modelica/same_equations.hpp"
#include "places.hpp"

namespace daedal {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(DAEDAL_SOURCE_DIR "/tests/fuzz/corpus")) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(content.str());
  }
  return texts;
}

/// One random edit: a byte changed, a piece removed, repeated, or taken from another text.
std::string mutated(const std::vector<std::string>& texts, std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return n == 0 ? 0 : static_cast<std::size_t>(random()) % n;
  };
  const std::size_t at = below(text.size());
  switch (random() % 4U) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(random() % 256U);
      return text;
    case 1:
      return text.erase(at, below(20));
    case 2:
      return text.insert(at, text.substr(below(text.size()), below(60)));
    default: {
      const std::string& other = texts[below(texts.size())];
      return text.insert(at, other.substr(below(other.size()), below(60)));
    }
  }
}

TEST(Robustness, EverySeedIsAModel) {
  ASSERT_GE(seeds().size(), 5U);
  for (const std::string& text : seeds()) EXPECT_NO_THROW(parse_model(text)) << text;
}

TEST(Robustness, MutatedTextsGiveAModelOrAnError) {
  const std::vector<std::string> texts = seeds();
  std::mt19937 random(20240611);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = texts[static_cast<std::size_t>(round) % texts.size()];
    const unsigned edits = 1U + static_cast<unsigned>(random() % 4U);
    for (unsigned k = 0; k < edits; ++k) text = mutated(texts, std::move(text), random);
    try {
      parse_model(text, "mutated", {.max_elements = 10'000, .max_operations = 100'000});
      ++accepted;
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << error.what() << "\n" << text;
      ++refused;
    }
  }
  // Both happen, or the mutations test nothing.
  EXPECT_GT(accepted, 30);
  EXPECT_GT(refused, 1000);
}

TEST(Robustness, PrintedEquationsAreReadBack) {
  const Model model = parse_model(R"(
    model M
      parameter Real p = 1.25;
      Real x, 'y.z[1]', w;
      Boolean b = x > 1;
    equation
      x = -p ^ 2 * (w - 'y.z[1]') / (3 - x) + sin(w) ^ 2 - 2 ^ w + 1e-7;
      der('y.z[1]') = (if b and x < 2 or not b then exp(-x) else atan2(w, x)) - max(x, w);
      w = noEvent(if x >= w then sqrt(abs(x)) else tanh(w)) + time + der(x);
    end M;)");
  const auto name_of = [&](Op kind, SymbolId symbol) {
    const auto at = static_cast<std::size_t>(symbol);
    if (kind == Op::parameter) return "'" + model.parameters()[at].name + "'";
    if (kind == Op::discrete || kind == Op::pre) return "'" + model.discretes()[at].name + "'";
    return "'" + model.variables()[at].name + "'";
  };
  std::string again =
      "model M parameter Real p = 1.25; Real x, 'y.z[1]', w; Boolean b = x > 1;\n"
      "equation\n";
  for (const Equation& equation : model.equations()) {
    again += "  " + to_string(*model.pool(), equation.lhs, name_of) + " = " +
             to_string(*model.pool(), equation.rhs, name_of) + ";\n";
  }
  const Model reread = parse_model(again + "end M;");
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::vector<double> first = test::residuals(model, seed);
    const std::vector<double> second = test::residuals(reread, seed);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], second[i], 1e-12);
  }
}

}  // namespace
}  // namespace daedal
