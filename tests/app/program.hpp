// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Runs the daedal program as a user would, and keeps what it printed.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "places.hpp"

namespace daedal::test {

struct ProgramResult {
  int exit_code = -1;
  std::string out;
  std::string err;
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// A folder of its own for one test, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder() {
    static int number = 0;
    const std::string name = "daedal-" + std::to_string(getpid()) + "-" + std::to_string(++number);
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directory(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

inline ProgramResult run_command(const std::string& command) {
  const ScratchFolder scratch;
  const std::string redirected =
      command + " > " + scratch.file("out") + " 2> " + scratch.file("err");
  const int status = std::system(redirected.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, scratch.read("out"), scratch.read("err")};
}

/// `arguments` as a shell would read them.
inline ProgramResult run_program(const std::string& arguments) {
  return run_command(std::string(DAEDAL_PROGRAM) + " " + arguments);
}

inline std::string example(const std::string& name) {
  return std::string(DAEDAL_SOURCE_DIR) + "/examples/" + name;
}

}  // namespace daedal::test
