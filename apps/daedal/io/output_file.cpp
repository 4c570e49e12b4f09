// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <daedal/error.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace daedal::io {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path) {
  throw OptionError(ErrorCode::file_not_writable,
                    fmt::format("The file '{}' cannot be written.", path));
}

}  // namespace

OutputFile::OutputFile(std::string path, const std::string& input) : path_(std::move(path)) {
  std::error_code error;
  if (fs::equivalent(path_, input, error)) {
    throw OptionError(
        ErrorCode::file_not_writable,
        fmt::format("The output '{}' is the file that the model is read from.", path_));
  }
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) refuse(path_);
  is_direct_ = fs::exists(status) && !fs::is_regular_file(status);
  target_ = is_direct_ ? path_ : path_ + ".part";
  if (is_direct_) return;
  if (fs::equivalent(target_, input, error)) refuse(path_);
  if (fs::exists(status) && !std::ofstream(path_, std::ios::app)) refuse(path_);
  const bool is_there = fs::exists(target_, error);
  if (!std::ofstream(target_, std::ios::app)) refuse(path_);
  // Rows of a run that was killed stay until there are new ones.
  if (!is_there) fs::remove(target_, error);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      is_direct_(other.is_direct_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      n_end_(other.n_end_),
      n_whole_(other.n_whole_) {}

OutputFile::~OutputFile() {
  close();
}

void OutputFile::open() {
  const int flags = is_direct_ ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC;
  descriptor_ = ::open(target_.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(path_);
  n_end_ = n_whole_ = 0;
}

int OutputFile::close() {
  const int result = descriptor_ < 0 ? 0 : ::close(descriptor_);
  descriptor_ = -1;
  return result;
}

void OutputFile::fail(int code) {
  const std::string why = code == ENOSPC ? "the disk is full" : std::strerror(code);
  if (is_whole_) {
    close();
    if (!is_direct_) ::unlink(target_.c_str());
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("Writing to '{}' failed: {}.", path_, why));
  }
  // Half a record is none.
  const bool is_kept = !is_direct_ && ::ftruncate(descriptor_, n_whole_) == 0;
  throw OptionError(ErrorCode::file_not_writable,
                    fmt::format("Writing to '{}' failed: {}.{}", target_, why,
                                is_kept ? " It holds what could be written, in whole rows." : ""));
}

void OutputFile::append(std::string_view records) {
  if (descriptor_ < 0) open();
  while (!records.empty()) {
    const auto n = ::write(descriptor_, records.data(), records.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    // A write that was cut short counts up to its last whole record.
    const auto written = records.substr(0, static_cast<std::size_t>(n));
    records.remove_prefix(written.size());
    n_end_ += n;
    const auto end = written.rfind('\n');
    if (end != std::string_view::npos) {
      n_whole_ = n_end_ - static_cast<long long>(written.size() - end - 1);
    }
  }
}

void OutputFile::restart() {
  if (descriptor_ < 0) return;
  close();
}

void OutputFile::write(const std::function<void(std::ostream&)>& write) {
  std::ostringstream text;
  text.exceptions(std::ios::badbit);  // memory that runs out is not the end of the text
  write(text);
  is_whole_ = true;
  append(text.view());
  finish();
}

void OutputFile::finish() {
  if (descriptor_ < 0) return;
  // File systems of a network tell only here that what was written did not arrive.
  if (close() != 0) fail(errno);
  if (is_direct_) return;
  std::error_code error;
  fs::rename(target_, path_, error);
  if (error) {
    throw OptionError(ErrorCode::file_not_writable, fmt::format("'{}' cannot replace '{}': {}.",
                                                                target_, path_, error.message()));
  }
}

}  // namespace daedal::io
