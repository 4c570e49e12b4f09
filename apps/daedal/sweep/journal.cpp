// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <daedal/error.hpp>
#include <limits>
#include <map>
#include <utility>

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

[[noreturn]] void refuse_file(const std::string& text) {
  throw OptionError(ErrorCode::file_not_writable, text);
}

std::string line_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string content_of(int file) {
  std::string text;
  char buffer[1 << 16];
  for (ssize_t n = 0;
       (n = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

ordered_json to_json(const MemberResult& result) {
  ordered_json values = ordered_json::array();
  for (const double value : result.values) {
    values.push_back(std::isfinite(value) ? ordered_json(value) : ordered_json());
  }
  return {{"success", result.is_success}, {"reason", result.reason},
          {"message", result.message},    {"seconds", result.seconds},
          {"in_lanes", result.in_lanes},  {"values", std::move(values)}};
}

MemberResult result_from_json(const ordered_json& json, std::size_t member) {
  MemberResult result{.member = member,
                      .is_success = json.at("success"),
                      .reason = json.at("reason"),
                      .message = json.at("message"),
                      .seconds = json.at("seconds"),
                      .in_lanes = json.value("in_lanes", false)};
  for (const ordered_json& value : json.at("values")) {
    result.values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                            : value.get<double>());
  }
  return result;
}

Journal::Journal(std::string path, const ordered_json& header, const Members& members, bool restart)
    : path_(std::move(path)), members_(members) {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) {
    refuse_file(
        fmt::format("The journal '{}' cannot be written: {}.", path_, std::strerror(errno)));
  }
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      refuse_file(fmt::format("Another sweep is writing to '{}' just now.", path_));
    }
    if (restart && ftruncate(file_, 0) != 0) {
      refuse_file(fmt::format("The journal '{}' cannot be written.", path_));
    }
    read(header);
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() {
  close(file_);
}

void Journal::read(const ordered_json& header) {
  const std::string text = content_of(file_);
  const std::size_t complete = text.find_last_of('\n') + 1;  // 0 where there is no line
  if (complete != text.size() && ftruncate(file_, static_cast<off_t>(complete)) != 0) {
    refuse_file(fmt::format("The journal '{}' cannot be written.", path_));
  }
  if (complete == 0) {
    append(line_of(header));
    return;
  }
  std::multimap<std::vector<double>, std::size_t> members;
  for (std::size_t i = 0; i < members_.count; ++i) {
    const auto row = members_.row(i);
    members.emplace(std::vector(row.begin(), row.end()), i);
  }
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < complete;) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    try {
      const ordered_json json = ordered_json::parse(line);
      if (number > 1) {
        const auto [first, last] = members.equal_range(json.at("given"));
        for (auto same = first; same != last; ++same) {
          finished_.push_back(result_from_json(json, same->second));
        }
      } else if (json != header) {
        throw OptionError(
            ErrorCode::invalid_option,
            fmt::format("'{}' belongs to a sweep with another model, other options or other "
                        "names that vary: choose another folder, or --restart to lose its runs.",
                        path_));
      }
    } catch (const ordered_json::exception&) {
      throw OptionError(ErrorCode::file_not_readable,
                        fmt::format("'{}' is not a journal of a sweep: line {} is not one of its "
                                    "lines. Choose another folder, or --restart to lose it.",
                                    path_, number));
    }
  }
}

void Journal::append(const std::string& line) {
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = write(file_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      refuse_file(fmt::format("Writing to '{}' failed: {}.", path_, std::strerror(errno)));
    }
    done += static_cast<std::size_t>(n);
  }
}

void Journal::add(const MemberResult& result) {
  ordered_json line{{"given", members_.row(result.member)}};
  line.update(to_json(result));
  append(line_of(line));
}

}  // namespace daedal::app
