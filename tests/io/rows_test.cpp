// SPDX-License-Identifier: BSD-3-Clause
#include "io/rows.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <daedal/error.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace daedal::io {
namespace {

Solution three_rows() {
  Solution s;
  s.names = {"x", "body.v[1]"};
  s.times = {0.0, 0.5, 2.0};
  s.values = {1.0, -2.0, 1.0 / 3.0, 1e300, 5.0, 6.0};
  return s;
}

struct Matrix {
  std::int32_t type = 0;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::string bytes;

  [[nodiscard]] double number(int row, int column) const {
    double value = 0.0;
    std::memcpy(&value, bytes.data() + sizeof(double) * (row + column * rows), sizeof value);
    return value;
  }
  [[nodiscard]] int integer(int row, int column) const {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + sizeof value * (row + column * rows), sizeof value);
    return value;
  }
  [[nodiscard]] std::string column_text(int column) const {
    const std::string text = bytes.substr(column * rows, rows);
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }
};

/// By the description of MAT-files of level 4: five integers, the name, the numbers.
std::map<std::string, Matrix> read_mat(const std::string& text) {
  std::map<std::string, Matrix> matrices;
  for (std::size_t i = 0; i < text.size();) {
    std::int32_t head[5] = {};
    std::memcpy(head, text.data() + i, sizeof head);
    EXPECT_EQ(head[3], 0) << "no imaginary part";
    i += sizeof head;
    const std::string name = text.c_str() + i;
    EXPECT_EQ(static_cast<std::size_t>(head[4]), name.size() + 1);
    i += name.size() + 1;
    const int precision = head[0] / 10 % 10;
    const std::size_t size = (precision == 0 ? 8 : precision == 2 ? 4 : 1);
    const std::size_t length = size * static_cast<std::size_t>(head[1] * head[2]);
    matrices[name] = {head[0], head[1], head[2], text.substr(i, length)};
    i += length;
  }
  return matrices;
}

TEST(Rows, MatFileIsATrajectoryOfModelicaTools) {
  std::ostringstream out;
  write_rows(out, three_rows(), {0, 1}, RowsFormat::mat);
  auto matrices = read_mat(out.str());
  ASSERT_EQ(matrices.size(), 6U);
  const Matrix& name = matrices["name"];
  EXPECT_EQ(name.column_text(0), "time");
  EXPECT_EQ(name.column_text(1), "x");
  EXPECT_EQ(name.column_text(2), "body.v[1]");
  const Matrix& kind = matrices["Aclass"];
  EXPECT_EQ(kind.rows, 4);
  std::string last;
  for (int i = 0; i < kind.columns; ++i) last += kind.bytes[3 + 4 * i];
  EXPECT_EQ(last.substr(0, 8), "binTrans");
  const Matrix& data = matrices["data_2"];
  ASSERT_EQ(data.rows, 3);
  ASSERT_EQ(data.columns, 3);
  for (int variable = 1; variable < 3; ++variable) {
    EXPECT_EQ(matrices["dataInfo"].integer(0, variable), 2);
    const int row = matrices["dataInfo"].integer(1, variable) - 1;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(data.number(0, i), three_rows().times[i]);
      EXPECT_EQ(data.number(row, i), three_rows().values[2 * i + variable - 1]);
    }
  }
}

TEST(Rows, JsonHasAColumnForEachName) {
  std::ostringstream out;
  write_rows(out, three_rows(), {1}, RowsFormat::json);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["columns"]["time"], nlohmann::json({0.0, 0.5, 2.0}));
  EXPECT_EQ(json["columns"]["body.v[1]"], nlohmann::json({-2.0, 1e300, 6.0}));
  EXPECT_FALSE(json["columns"].contains("x"));
}

TEST(Rows, FormatIsThatOfTheName) {
  EXPECT_EQ(rows_format("a/b.csv"), RowsFormat::csv);
  EXPECT_EQ(rows_format("a.b/c"), RowsFormat::csv);
  EXPECT_EQ(rows_format("run.json"), RowsFormat::json);
  EXPECT_EQ(rows_format("run.mat"), RowsFormat::mat);
  EXPECT_THROW(rows_format("run.txt"), OptionError);
}

}  // namespace
}  // namespace daedal::io
