// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The finished runs of a sweep on disk, so that the same command goes on where it was ended, by
/// whatever means, and repeats none of them.

#include <daedal/ensemble.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace daedal::app {

/// What came of a member, but not which: values that are no finite numbers are null.
nlohmann::ordered_json to_json(const MemberResult& result);
/// Throws nlohmann::json::exception.
MemberResult result_from_json(const nlohmann::ordered_json& json, std::size_t member);

/// A file of lines. The first says which sweep it is of, each other line is the result of a member,
/// known by its values: with other members those that were run before are not run again. A line
/// that was not completed is taken back when the file is opened again. One process writes it
/// at a time.
class Journal {
 public:
  /// Opens or makes the file; `restart` empties it. Throws OptionError when it cannot
  /// be, belongs to another sweep, or is being written by another process.
  Journal(std::string path, const nlohmann::ordered_json& header, const Members& members,
          bool restart);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// What was there already of the members.
  [[nodiscard]] std::vector<MemberResult>& finished() { return finished_; }
  /// Throws OptionError when it cannot be written.
  void add(const MemberResult& result);

 private:
  void read(const nlohmann::ordered_json& header);
  void append(const std::string& line);

  std::string path_;
  const Members& members_;
  int file_ = -1;
  std::vector<MemberResult> finished_;
};

}  // namespace daedal::app
