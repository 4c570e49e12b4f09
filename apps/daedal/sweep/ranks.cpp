// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <daedal/error.hpp>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "sweep/journal.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// The time between two checks for messages: a blocking receive of MPI would use a processor fully.
constexpr auto look_every = 1ms;
constexpr auto sign_of_life_every = 1s;
/// A rank that was silent for so long is taken for dead. If it answers later, it takes part again:
/// only the first result of a member counts.
constexpr auto longest_silence = 5s;
/// The first rank may have to wait for a disk, and others for the model.
constexpr auto longest_silence_of_first = 5min;
/// The first rank reads the results of earlier runs before it answers.
constexpr auto longest_start = 1h;
/// Work that a thread has before it, so that it does not wait for messages between short runs. Long
/// runs are handed out one by one, to whoever is free.
constexpr double seconds_ahead = 0.1;

std::string packed(const ordered_json& json) {
  std::string text;
  ordered_json::to_cbor(json, text);
  return text;
}

/// How many processes were started together, and which of them this is, as launchers tell it.
struct Launch {
  int size = 1;
  int rank = 0;
};

Launch launch() {
  constexpr const char* variables[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                          {"PMI_SIZE", "PMI_RANK"},
                                          {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const auto& [size, rank] : variables) {
    if (std::getenv(size) == nullptr || std::getenv(rank) == nullptr) continue;
    return {std::atoi(std::getenv(size)), std::atoi(std::getenv(rank))};
  }
  return {};
}

[[noreturn]] void refuse_launch(const Launch& started, const std::string& reason) {
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("{} processes were started to share this sweep, but {} Start one, with threads: "
                  "'-j {}'.",
                  started.size, reason, started.size));
}

std::unique_ptr<Transport> open_transport(const Launch& started) {
  const auto path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / DAEDAL_MPI_PLUGIN;
  if (!std::filesystem::exists(path)) {
    refuse_launch(started, "this program was built without MPI (DAEDAL_WITH_MPI).");
  }
  // MPI loads parts of itself, which look for its names.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* open = library == nullptr ? nullptr : dlsym(library, "daedal_open_transport");
  if (open == nullptr) refuse_launch(started, fmt::format("MPI cannot be loaded: {}.", dlerror()));
  std::unique_ptr<Transport> transport(reinterpret_cast<decltype(&daedal_open_transport)>(open)());
  if (transport->size() != started.size) {
    refuse_launch(started, "by another MPI than this program was built with.");
  }
  return transport;
}

/// The threads of one process, which solve what is put into their queue.
class Workers {
 public:
  explicit Workers(const SweepTask& task) : task_(task), options_(task.options) {
    options_.cancel = &stop_;
    const int n = std::max(1, options_.workers);
    for (int i = 0; i < n; ++i) threads_.emplace_back([this] { work(); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { stop(); }

  [[nodiscard]] std::size_t count() const { return threads_.size(); }

  void give(std::span<const std::size_t> members) {
    const std::lock_guard lock(mutex_);
    queue_.insert(queue_.end(), members.begin(), members.end());
    has_work_.notify_all();
  }
  /// Until there is something to look at: the next time, or threads that have nothing to do.
  void wait() {
    std::unique_lock lock(mutex_);
    is_idle_.wait_for(lock, look_every,
                      [&] { return failure_ || (n_idle_ > 0 && !results_.empty()); });
  }
  /// What has come since the last call. Throws what has ended a thread.
  std::vector<MemberResult> results() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return std::exchange(results_, {});
  }
  /// Runs that have begun end as cancelled.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      has_work_.notify_all();
    }
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  std::optional<std::size_t> next(bool may_wait) {
    std::unique_lock lock(mutex_);
    if (may_wait) {
      ++n_idle_;
      if (queue_.empty()) is_idle_.notify_all();
      has_work_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      --n_idle_;
    }
    if (stop_ || queue_.empty()) return {};
    const std::size_t member = queue_.front();
    queue_.pop_front();
    return member;
  }
  void work() {
    try {
      const auto take = [this](MemberResult result) {
        result.values = task_.select(result.values);
        const std::lock_guard lock(mutex_);
        results_.push_back(std::move(result));
      };
      task_.ensemble.work(options_, [this](bool may_wait) { return next(may_wait); }, take);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      is_idle_.notify_all();
    }
  }

  const SweepTask& task_;
  EnsembleOptions options_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_idle_;
  std::deque<std::size_t> queue_;
  std::vector<MemberResult> results_;
  std::exception_ptr failure_;
  std::size_t n_idle_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

/// The account that the first rank keeps of the members and of the ranks that have them.
class Ranks::Distribution {
 public:
  Distribution(Ranks& ranks, const SweepTask& task, const std::function<void(MemberResult)>& take)
      : all_(ranks),
        task_(task),
        take_(take),
        own_(task),
        ranks_(static_cast<std::size_t>(ranks.size())),
        is_done_(task.ensemble.members().count, false) {
    for (std::size_t i = 0; i < is_done_.size(); ++i) {
      is_done_[i] = task.options.is_done && task.options.is_done(i);
      if (!is_done_[i]) ++n_open_;
    }
    ranks_[0].n_threads = own_.count();
  }

  /// False where it was cancelled.
  bool run() {
    while (n_open_ > 0 && !is_cancelled()) {
      look();
      ahead_ = n_ahead();
      own_.give(hand_out(ranks_[0]));
      for (int rank = 1; rank < all_.size(); ++rank) attend_to(rank);
      own_.wait();
    }
    own_.stop();
    look();
    return n_open_ == 0;
  }

 private:
  struct Rank {
    std::size_t n_threads = 0;  ///< of ranks that do not take part: none
    std::set<std::size_t> held;
    Clock::time_point heard;
    Clock::time_point told;
  };

  [[nodiscard]] bool is_cancelled() const {
    return task_.options.cancel != nullptr && *task_.options.cancel;
  }

  void look() {
    int from = 0;
    for (std::string text; all_.transport_->receive(from, text);) {
      hear(from, ordered_json::from_cbor(text));
    }
    for (MemberResult& result : own_.results()) accept(ranks_[0], std::move(result));
  }

  void hear(int from, const ordered_json& message) {
    Rank& rank = ranks_[static_cast<std::size_t>(from)];
    rank.heard = Clock::now();
    all_.hear_of(from, message);
    if (message.contains("identity")) {
      if (message["identity"] == task_.identity) {
        rank.n_threads = message["threads"];
      } else {
        all_.notices_.push_back(fmt::format(
            "Rank {} takes no part: it reads another model, other members or other inputs.", from));
      }
    }
    if (message.contains("leaves")) {
      take_back(rank);
      rank.n_threads = 0;
    }
    if (!message.contains("results")) return;
    for (const ordered_json& one : message["results"]) {
      accept(rank, result_from_json(one, one.at("member")));
    }
  }

  void accept(Rank& rank, MemberResult result) {
    rank.held.erase(result.member);
    if (is_done_[result.member] || result.reason == to_string(Status::cancelled)) return;
    is_done_[result.member] = true;
    --n_open_;
    ++n_solved_;
    seconds_ += result.seconds;
    take_(std::move(result));
  }

  void take_back(Rank& rank) {
    returned_.insert(returned_.end(), rank.held.begin(), rank.held.end());
    rank.held.clear();
  }

  std::optional<std::size_t> next() {
    while (!returned_.empty()) {
      const std::size_t member = returned_.back();
      returned_.pop_back();
      if (!is_done_[member]) return member;
    }
    while (next_ < is_done_.size()) {
      if (!is_done_[next_++]) return next_ - 1;
    }
    return {};
  }

  /// Members that a thread has beside the one that it solves: fewer towards the end, so that all
  /// ranks end together.
  [[nodiscard]] std::size_t n_ahead() const {
    if (n_solved_ == 0) return 0;
    std::size_t n_held = 0;
    std::size_t n_threads = 0;
    for (const Rank& rank : ranks_) {
      n_held += rank.held.size();
      n_threads += rank.n_threads;
    }
    const auto left = static_cast<double>(n_open_ - std::min(n_open_, n_held));
    const double share = left / (2.0 * static_cast<double>(n_threads));
    const double mean = std::max(seconds_ / static_cast<double>(n_solved_), 1e-6);
    return static_cast<std::size_t>(std::min(share, seconds_ahead / mean));
  }

  /// Gives members to a rank that can do with some.
  std::vector<std::size_t> hand_out(Rank& rank) {
    std::vector<std::size_t> members;
    const std::size_t n_most = rank.n_threads * (1 + ahead_);
    if (rank.held.size() >= std::max(n_most / 2 + 1, rank.n_threads)) return members;
    while (rank.held.size() < n_most) {
      const auto member = next();
      if (!member) break;
      rank.held.insert(*member);
      members.push_back(*member);
    }
    return members;
  }

  void attend_to(int number) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    const auto now = Clock::now();
    if (rank.n_threads > 0 && now - rank.heard > longest_silence &&
        all_.lost_.insert(number).second) {
      all_.notices_.push_back(fmt::format(
          "Rank {} has fallen silent: the {} runs that it had in hand were given to others.",
          number, rank.held.size()));
      take_back(rank);
    }
    if (all_.lost_.contains(number)) return;
    const std::vector<std::size_t> members = hand_out(rank);
    if (members.empty() && now - rank.told < sign_of_life_every) return;
    all_.transport_->send(number, packed({{"members", members}}));
    rank.told = now;
  }

  Ranks& all_;
  const SweepTask& task_;
  const std::function<void(MemberResult)>& take_;
  Workers own_;
  std::vector<Rank> ranks_;
  std::vector<bool> is_done_;
  std::vector<std::size_t> returned_;
  std::size_t next_ = 0;
  std::size_t n_open_ = 0;
  std::size_t n_solved_ = 0;
  std::size_t ahead_ = 0;  ///< n_ahead()
  double seconds_ = 0.0;
};

Ranks::Ranks() {
  const Launch started = launch();
  if (started.size < 2) return;
  is_first_ = started.rank == 0;
  try {
    transport_ = open_transport(started);
    is_first_ = transport_->rank() == 0;
  } catch (const OptionError&) {
    if (is_first_) throw;  // said once
  }
}

Ranks::~Ranks() {
  end();
}

void Ranks::end() {
  if (transport_) transport_->close(is_first_ ? end_of_first() : end_of_other());
  transport_.reset();
}

void Ranks::hear_of(int rank, const ordered_json& message) {
  seen_.insert(rank);
  lost_.erase(rank);
  if (!message.contains("leaves")) return;
  left_.insert(rank);
  const std::string reason = message["leaves"];
  if (!reason.empty()) notices_.push_back(fmt::format("Rank {} has left: {}", rank, reason));
}

/// Whether all have left: those that have died do not say so.
bool Ranks::end_of_first() {
  const auto tell = [&](const ordered_json& message) {
    for (int rank = 1; rank < size(); ++rank) transport_->send(rank, packed(message));
  };
  tell({{"stop", true}});
  const auto began = Clock::now();
  const auto is_awaited = [&](int rank) {
    const auto longest = seen_.contains(rank) ? 2 * longest_silence : longest_silence_of_first;
    return !left_.contains(rank) && !lost_.contains(rank) && Clock::now() - began < longest;
  };
  for (int rank = 1; rank < size();) {
    int from = 0;
    for (std::string text; transport_->receive(from, text);) {
      hear_of(from, ordered_json::from_cbor(text));
    }
    if (is_awaited(rank)) {
      std::this_thread::sleep_for(look_every);
    } else {
      ++rank;
    }
  }
  const bool is_whole = left_.size() + 1 == static_cast<std::size_t>(size());
  tell({{"is_whole", is_whole}});
  return is_whole;
}

bool Ranks::end_of_other() {
  if (is_first_silent_) return false;
  transport_->send(0, packed({{"leaves", reason_}}));
  // A rank that leaves before the first one has begun waits for it as the others do.
  auto heard =
      Clock::now() + (has_heard_ ? Clock::duration::zero() : Clock::duration(longest_start));
  for (; Clock::now() - heard < longest_silence_of_first; std::this_thread::sleep_for(look_every)) {
    int from = 0;
    for (std::string text; transport_->receive(from, text); heard = Clock::now()) {
      const ordered_json message = ordered_json::from_cbor(text);
      if (message.contains("is_whole")) return message["is_whole"];
    }
  }
  return false;
}

void Ranks::run(const SweepTask& task, const std::function<void(MemberResult)>& take) {
  if (size() > 1) {
    // A signal to end leaves little time, so the files are closed before anything else.
    if (Distribution(*this, task, take).run()) end();
    return;
  }
  task.ensemble.run(task.options, [&](MemberResult result) {
    result.values = task.select(result.values);
    take(std::move(result));
  });
}

bool Ranks::help(const SweepTask& task) {
  Workers workers(task);
  transport_->send(0, packed({{"identity", task.identity}, {"threads", workers.count()}}));
  auto told = Clock::now();
  auto heard = told + longest_start;
  auto looked = told;
  while (!*task.options.cancel) {
    const auto now = Clock::now();
    if (now - looked > sign_of_life_every)
      heard = std::max(heard, now);  // it was this process that stood still
    looked = now;
    if (now - heard > longest_silence_of_first) {
      is_first_silent_ = true;
      return false;
    }
    int from = 0;
    for (std::string text; transport_->receive(from, text);) {
      heard = now;
      has_heard_ = true;
      const ordered_json message = ordered_json::from_cbor(text);
      if (message.contains("stop")) return true;
      workers.give(message.at("members").get<std::vector<std::size_t>>());
    }
    ordered_json results = ordered_json::array();
    for (const MemberResult& result : workers.results()) {
      results.push_back(to_json(result));
      results.back()["member"] = result.member;
    }
    if (!results.empty() || now - told > sign_of_life_every) {
      transport_->send(0, packed({{"results", std::move(results)}}));
      told = now;
    }
    workers.wait();
  }
  return true;
}

}  // namespace daedal::app
