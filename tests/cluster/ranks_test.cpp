// SPDX-License-Identifier: BSD-3-Clause
// Sweeps in several processes of mpirun: the tables of one process whatever their number, and
// nothing lost or run twice when some or all of them are killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "cluster/mpirun.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

/// Each run takes some ten thousand steps, so that signals come in the middle of the sweep. Beyond
/// w = 1.9 the solution has a pole at t = 1000, y = 1/(1000 - t).
constexpr const char* waves = R"(model Waves
  parameter Real w = 1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  Real y(start = 0.001, fixed = true);
equation
  der(x) = v;
  der(v) = -w^2*x;
  der(y) = if w > 1.9 then y^2 else 0;
  annotation(experiment(StopTime = 2000, Tolerance = 1e-9));
end Waves;
)";

/// What the journal has of each member, but for the time that it took.
std::map<std::string, std::vector<std::string>> journal(const ScratchFolder& scratch,
                                                        const std::string& folder) {
  std::map<std::string, std::vector<std::string>> members;
  const std::string text = scratch.read(folder + "/journal");
  std::istringstream in(text.substr(0, text.find_last_of('\n') + 1));
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    auto json = nlohmann::json::parse(line);
    json.erase("seconds");
    members[json["given"].dump()].push_back(json.dump());
  }
  return members;
}

/// Every member once, and everything that `before` had.
void expect_no_loss(const std::map<std::string, std::vector<std::string>>& before,
                    const std::map<std::string, std::vector<std::string>>& now) {
  for (const auto& [member, lines] : now) EXPECT_EQ(lines.size(), 1U) << "twice: " << member;
  for (const auto& [member, lines] : before)
    EXPECT_TRUE(now.contains(member)) << "lost: " << member;
}

void expect_same_tables(const ScratchFolder& scratch, const std::string& a, const std::string& b) {
  for (const std::string name : {"/results.csv", "/statistics.csv", "/failures.csv"}) {
    EXPECT_FALSE(scratch.read(a + name).empty());
    EXPECT_EQ(scratch.read(a + name), scratch.read(b + name)) << b << name;
  }
}

/// A sweep under mpirun in the background.
class Job {
 public:
  Job(const std::string& options, const std::string& arguments) : pid_(fork()) {
    if (pid_ != 0) return;
    const std::string command =
        mpirun + options + " " + DAEDAL_PROGRAM + " " + arguments + " > /dev/null 2>&1";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() { (void)wait(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool has_ended() {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return ended_;
  }
  /// The exit code of mpirun; -1 where a signal has ended it.
  int wait() {
    while (!has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }
  /// The processes of the ranks, which are children of mpirun.
  [[nodiscard]] std::map<int, pid_t> ranks() const {
    std::map<int, pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::string word;
      std::ifstream state(entry.path() / "stat");
      std::getline(state, word, ')');  // its name may have spaces
      pid_t parent = 0;
      state >> word >> parent;
      if (parent != pid_) continue;
      std::ifstream environment(entry.path() / "environ");
      while (std::getline(environment, word, '\0')) {
        const std::string variable = "OMPI_COMM_WORLD_RANK=";
        if (word.starts_with(variable))
          found[std::stoi(word.substr(variable.size()))] = std::stoi(name);
      }
    }
    return found;
  }

  /// Stops the ranks until mpirun ends them, which takes it some seconds: time enough for the rest
  /// of the sweep.
  void hold() const {
    for (const auto& [rank, pid] : ranks()) kill(pid, SIGSTOP);
  }

 private:
  pid_t pid_;
  int status_ = 0;
  bool ended_ = false;
};

/// A process that has ended may still have an entry, until somebody asks for its exit code.
bool is_running(pid_t pid) {
  std::string word;
  std::ifstream state("/proc/" + std::to_string(pid) + "/stat");
  std::getline(state, word, ')');
  return state >> word && word != "Z";
}

class SweepRanks : public ::testing::Test {
 protected:
  /// What one process with one thread has: in the folder "one".
  static void SetUpTestSuite() {
    const auto one = run_program(sweep("one") + " -j 1");
    ASSERT_EQ(one.exit_code, 0) << one.err;
    one_ = one.json();
    ASSERT_GT(one_["failed"], 0);
  }

  /// 240 members of which about 24 fail, in a folder.
  [[nodiscard]] static std::string sweep(const std::string& folder) {
    return "sweep --json --random 'w~uniform(1,2)' --samples 240 --variables x --variables v " +
           model_ + " -o " + scratch_.file(folder);
  }
  /// Runs a sweep under mpirun and calls `act` when it has some more members than before; the exit
  /// code of mpirun.
  int disturb(const std::string& options, const std::string& folder,
              const std::function<void(Job&)>& act) {
    const auto n_lines = [&] {
      const std::string text = scratch_.read(folder + "/journal");
      return std::count(text.begin(), text.end(), '\n');
    };
    const auto n_before = n_lines();
    Job job(options, sweep(folder));
    while (!job.has_ended() && n_lines() < n_before + 20) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(job.has_ended());
    const auto seen = journal(scratch_, folder);
    EXPECT_LT(seen.size(), 240U);
    const auto ranks = job.ranks();
    act(job);
    const int code = job.wait();
    for (const auto& [rank, pid] : ranks) {
      while (is_running(pid)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    expect_no_loss(seen, journal(scratch_, folder));
    return code;
  }

  static inline const ScratchFolder scratch_;
  static inline const std::string model_ = scratch_.write("m.mo", waves);
  static inline nlohmann::json one_;
};

TEST_F(SweepRanks, TheirNumberChangesNothing) {
  struct Case {
    std::string options;
    std::string threads;
    std::string folder;
  };
  for (const Case& each : {Case{"-n 1", "", "single"}, Case{"-n 2", "", "two"},
                           Case{"-n 4", "", "four"}, Case{"-n 2 --bind-to none", "-j 3", "six"}}) {
    const auto r = run_ranks(each.options, sweep(each.folder) + " " + each.threads);
    ASSERT_EQ(r.exit_code, 0) << each.folder << r.err;
    EXPECT_EQ(r.json()["notices"], one_["notices"]);
    EXPECT_EQ(r.json()["failures"], one_["failures"]);
    expect_same_tables(scratch_, "one", each.folder);
    EXPECT_EQ(journal(scratch_, "one"), journal(scratch_, each.folder));
  }
  // What one engine has run, another knows.
  EXPECT_EQ(run_ranks("-n 2", sweep("one")).json()["known"], 240);
  EXPECT_EQ(run_program(sweep("four")).json()["known"], 240);
}

TEST_F(SweepRanks, KillsLoseNothingAndTheSameCommandGoesOn) {
  // mpirun ends the others with the one that was killed.
  for (const int rank : {2, 0}) {
    const int code = disturb("-n 4", "killed", [&](Job& job) {
      job.hold();
      kill(job.ranks().at(rank), SIGKILL);
    });
    EXPECT_EQ(code, 128 + SIGKILL);
  }
  EXPECT_EQ(disturb("-n 2", "killed",
                    [](Job& job) {
                      const auto ranks = job.ranks();
                      kill(job.pid(), SIGKILL);
                      for (const auto& [rank, pid] : ranks) kill(pid, SIGKILL);
                    }),
            -1);
  const auto before = journal(scratch_, "killed");
  ASSERT_LT(before.size(), 240U);
  const auto rest = run_ranks("-n 4", sweep("killed"));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(rest.json()["known"], before.size());
  expect_no_loss(before, journal(scratch_, "killed"));
  EXPECT_EQ(journal(scratch_, "killed"), journal(scratch_, "one"));
  expect_same_tables(scratch_, "one", "killed");
}

TEST_F(SweepRanks, WithRecoveryTheOthersGoOn) {
  EXPECT_EQ(disturb("--enable-recovery -n 4", "recovered",
                    [](Job& job) { kill(job.ranks().at(3), SIGKILL); }),
            0);
  EXPECT_EQ(journal(scratch_, "recovered"), journal(scratch_, "one"));
  expect_same_tables(scratch_, "one", "recovered");
}

TEST_F(SweepRanks, ARankThatIsToldToEndLeavesItsRunsToOthers) {
  EXPECT_EQ(disturb("-n 3", "left", [](Job& job) { kill(job.ranks().at(1), SIGTERM); }), 0);
  EXPECT_EQ(journal(scratch_, "left"), journal(scratch_, "one"));
  expect_same_tables(scratch_, "one", "left");
}

TEST_F(SweepRanks, AnInterruptEndsInGoodOrder) {
  // 130: cancelled, as without ranks; the tables have what was computed.
  EXPECT_EQ(disturb("-n 3", "ended", [](Job& job) { kill(job.ranks().at(0), SIGINT); }), 130);
  EXPECT_THAT(scratch_.read("ended/results.csv"), HasSubstr("success"));
  EXPECT_THAT(scratch_.read("ended/results.csv"), HasSubstr("cancelled"));
  // Ctrl-C reaches mpirun, which passes it on in its own way and has an exit code of its own.
  const int code = disturb("-n 3", "ended", [](Job& job) {
    job.hold();
    kill(job.pid(), SIGINT);
  });
  EXPECT_NE(code, 0);
  const auto rest = run_ranks("-n 3", sweep("ended"));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  expect_same_tables(scratch_, "one", "ended");
}

TEST_F(SweepRanks, ErrorsAreSaidOnce) {
  const auto r = run_ranks("-n 3", "sweep -p nothing=1,2 " + model_);
  EXPECT_EQ(r.exit_code, run_program("sweep -p nothing=1,2 " + model_).exit_code);
  const auto first = r.err.find("'nothing'");
  ASSERT_NE(first, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("error:", r.err.find("error:") + 1), std::string::npos) << r.err;
  EXPECT_EQ(run_ranks("-n 2", "sweep -p w=1,2 - < " + model_).exit_code, 2);
}

TEST_F(SweepRanks, OnesThatReadSomethingElseTakeNoPart) {
  const std::string other = scratch_.write("other.mo", std::string(waves) + "// another text\n");
  const std::string arguments = " sweep --json -p w=1:0.01:1.2 ";
  const auto r = run_command(mpirun + "-n 1 " + DAEDAL_PROGRAM + arguments + model_ + " : -n 1 " +
                             DAEDAL_PROGRAM + arguments + other + " : -n 1 " + DAEDAL_PROGRAM +
                             arguments + scratch_.file("nowhere.mo"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.json()["solved"], 21);
  const std::string notices = r.json()["notices"].dump();
  EXPECT_THAT(notices, HasSubstr("Rank 1 takes no part"));
  EXPECT_THAT(notices, HasSubstr("Rank 2 has left"));
  EXPECT_THAT(notices, HasSubstr("nowhere.mo"));
}

}  // namespace
}  // namespace daedal::test
