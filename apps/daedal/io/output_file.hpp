// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A file that loses nothing: records go to PATH.part, which replaces PATH when all are there.
/// What is at PATH stays until then. Pipes and devices are written directly.

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace daedal::io {

class OutputFile {
 public:
  /// Checks before the run that the path can be written, since that must not cost a run, and that
  /// it is not `input`, the file that the run is read from. Throws OptionError.
  OutputFile(std::string path, const std::string& input);
  /// What was written and did not replace PATH stays in PATH.part.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;

  /// Records may be written before the end: they can be taken back.
  [[nodiscard]] bool is_provisional() const { return !is_direct_; }
  /// Appends whole records, which are in the file when this returns. Throws OptionError where they
  /// cannot be written; the whole ones are kept then.
  void append(std::string_view records);
  /// Takes back what was appended.
  void restart();
  /// All at once: what `write` puts into the stream. Throws OptionError where it cannot be written;
  /// nothing of it is kept then.
  void write(const std::function<void(std::ostream&)>& write);
  /// The end: PATH is what was appended. Throws OptionError.
  void finish();

 private:
  void open();
  int close();
  [[noreturn]] void fail(int code);

  std::string path_;
  std::string target_;  ///< PATH.part, or PATH itself
  bool is_direct_ = false;
  bool is_whole_ = false;  ///< a part of the content must not be kept
  int descriptor_ = -1;
  long long n_end_ = 0;    ///< bytes written
  long long n_whole_ = 0;  ///< up to the end of the last whole record
};

}  // namespace daedal::io
