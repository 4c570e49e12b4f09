// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv_table.hpp"

#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <sstream>

#include "io/csv.hpp"

namespace daedal::io {
namespace {

CsvTable read(const std::string& text) {
  std::istringstream in(text);
  return read_csv(in, "table.csv");
}

std::string message_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CsvTable, ReadsBackWhatWasWritten) {
  Solution s;
  s.names = {"x", "body.r[1,2]"};
  s.times = {0.0, 0.5};
  s.values = {0.1, -2.0, 1.0 / 3.0, 1e300};
  std::string text = csv_header(s, {0, 1});
  write_csv_rows(s, {0, 1}, 0, [&text](std::string_view rows) { text += rows; });
  const CsvTable table = read(text);
  EXPECT_EQ(table.names, (std::vector<std::string>{"time", "x", "body.r[1,2]"}));
  EXPECT_EQ(table.n_rows(), 2U);
  EXPECT_EQ(table.values, (std::vector<double>{0.0, 0.1, -2.0, 0.5, 1.0 / 3.0, 1e300}));
}

TEST(CsvTable, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  const CsvTable table = read("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\r\n1,2,3\r\n\r\n");
  EXPECT_EQ(table.names, (std::vector<std::string>{"a,b", "say \"x\"", "two\nlines"}));
  EXPECT_EQ(table.n_rows(), 1U);
}

TEST(CsvTable, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(message_of(""), "table.csv:1: The file is empty.");
  EXPECT_EQ(message_of("t,x\n0,1\n1\n"), "table.csv:3: 1 fields, but 2 columns.");
  EXPECT_EQ(message_of("t,x\n0,1e\n"), "table.csv:2: '1e' is not a number.");
  EXPECT_EQ(message_of("t,x\n0,\n"), "table.csv:2: '' is not a number.");
}

TEST(CsvTable, ATextWithoutEndOfQuotesEnds) {
  EXPECT_EQ(read("\"open").names, (std::vector<std::string>{"open"}));
}

}  // namespace
}  // namespace daedal::io
