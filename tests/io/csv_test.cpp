// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>

#include "io/json.hpp"

namespace daedal::io {
namespace {

Solution two_rows() {
  Solution s;
  s.names = {"x", "body.r[1,2]"};
  s.times = {0.0, 0.5};
  s.values = {0.1, -2.0, 1.0 / 3.0, 1e300};
  return s;
}

std::string csv_rows(const Solution& solution, std::size_t first) {
  std::string text;
  write_csv_rows(solution, {0}, first, [&text](std::string_view rows) { text += rows; });
  return text;
}

TEST(Csv, WritesTimeFirstAndQuotesNamesWithCommas) {
  EXPECT_EQ(csv_header(two_rows(), {0, 1}), "time,x,\"body.r[1,2]\"\n");
}

TEST(Csv, NumbersReadBackToTheSameBits) {
  const std::string text = csv_rows(two_rows(), 0);
  const auto last = text.rfind(',');
  EXPECT_EQ(std::stod(text.substr(last + 1)), 1.0 / 3.0);
}

TEST(Csv, RowsGoOnWhereTheLastOnesEnded) {
  const Solution s = two_rows();
  const std::string first = csv_rows(s, 0);
  const std::string second = csv_rows(s, 1);
  EXPECT_TRUE(first.ends_with(second));
  EXPECT_EQ(second.substr(0, 4), "0.5,");
  EXPECT_EQ(csv_rows(s, 2), "");
}

TEST(Csv, LongTablesAreWrittenInPiecesOfWholeRows) {
  Solution s;
  s.names = {"x"};
  for (int i = 0; i < 20'000; ++i) {
    s.times.push_back(i);
    s.values.push_back(1.0 / (1.0 + i));
  }
  std::size_t n_pieces = 0;
  write_csv_rows(s, {0}, 0, [&n_pieces](std::string_view rows) {
    ++n_pieces;
    EXPECT_TRUE(rows.ends_with('\n'));
  });
  EXPECT_GT(n_pieces, 2U);
  const std::string text = csv_rows(s, 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20'000);
}

TEST(Csv, DoublesQuotesInsideAQuotedField) {
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
}

TEST(Csv, SelectsInTheOrderOfTheGlobsAndEachColumnOnce) {
  const Solution s = two_rows();
  EXPECT_EQ(select_columns(s.names, std::vector<std::string>{"body.*", "x"}),
            (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(select_columns(s.names, std::vector<std::string>{"*", "x"}),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(select_columns(s.names, std::vector<std::string>{"?"}), (std::vector<std::size_t>{0}));
  EXPECT_THROW(select_columns(s.names, std::vector<std::string>{"z*"}), OptionError);
}

TEST(Glob, StarsMatchAnyRunAndBacktrack) {
  EXPECT_TRUE(matches_glob("abcabd", "*abd"));
  EXPECT_TRUE(matches_glob("", "*"));
  EXPECT_TRUE(matches_glob("der(x)", "der(*)"));
  EXPECT_FALSE(matches_glob("abc", "ab"));
  EXPECT_FALSE(matches_glob("abc", "abcd*"));
  EXPECT_FALSE(matches_glob("aaaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*a*a*a*c"));
}

TEST(Json, NonFiniteNumbersAreNull) {
  Solution s = two_rows();
  s.values.back() = std::nan("");
  s.status = Status::non_finite_value;
  const auto json = to_json(s);
  EXPECT_TRUE(json["final"]["values"]["body.r[1,2]"].is_null());
  EXPECT_EQ(json["final"]["time"], 0.5);
  EXPECT_EQ(json["status"], "non-finite-value");
  EXPECT_EQ(json["error"]["code"], "non-finite-value");
  EXPECT_EQ(json["schema"], 1);
}

TEST(Json, ErrorsCarryTheirPlace) {
  const ParseError error({{ErrorCode::syntax, {"a.mo", 2, 5}, "Expected ';'."},
                          {ErrorCode::unknown_name, {"a.mo", 3, 1}, "Nothing declares 'q'."}});
  const auto json = error_document(error);
  EXPECT_EQ(json["error"]["code"], "syntax");
  EXPECT_EQ(json["error"]["line"], 2);
  EXPECT_EQ(json["error"]["column"], 5);
  EXPECT_EQ(json["error"]["diagnostics"].size(), 2U);
}

}  // namespace
}  // namespace daedal::io
