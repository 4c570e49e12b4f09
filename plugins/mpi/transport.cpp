// SPDX-License-Identifier: BSD-3-Clause
// The plug-in through which the processes of a sweep speak MPI. It is all of the program that is
// compiled against it.
#include "sweep/transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <list>
#include <stdexcept>
#include <thread>
#include <utility>

namespace daedal::app {

namespace {

/// How long what was sent last may take; it is never needed by those that do not take it.
constexpr auto last_wait = std::chrono::seconds(1);

/// Neither a send nor a receive waits for the other side: that would be for ever where it has died.
class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override = default;

  void close(bool is_whole) override {
    const auto end = std::chrono::steady_clock::now() + last_wait;
    for (forget_sent(); !outgoing_.empty() && std::chrono::steady_clock::now() < end;
         forget_sent()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    // It waits for every process. mpirun takes those that end without it for failed, unless it goes
    // on after failures.
    if (is_whole) MPI_Finalize();
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int to, std::string message) override {
    if (message.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("The results of a run are too large for a message of MPI.");
    }
    forget_sent();
    Message& one = outgoing_.emplace_back(to, std::move(message), MPI_REQUEST_NULL);
    MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD,
              &one.request);
  }

  [[nodiscard]] bool receive(int& from, std::string& message) override {
    int has_one = 0;
    MPI_Message handle = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has_one, &handle, &status) == MPI_SUCCESS &&
        has_one != 0) {
      int n = 0;
      MPI_Get_count(&status, MPI_BYTE, &n);
      Message& one = incoming_.emplace_back(status.MPI_SOURCE, std::string(), MPI_REQUEST_NULL);
      one.text.resize(static_cast<std::size_t>(n));
      if (MPI_Imrecv(one.text.data(), n, MPI_BYTE, &handle, &one.request) != MPI_SUCCESS) {
        incoming_.pop_back();
      }
    }
    for (auto one = incoming_.begin(); one != incoming_.end();) {
      int has_arrived = 0;
      // Of a process that has died in the middle of it nothing is left.
      if (MPI_Test(&one->request, &has_arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        one = incoming_.erase(one);
      } else if (has_arrived == 0) {
        ++one;
      } else {
        from = one->peer;
        message = std::move(one->text);
        incoming_.erase(one);
        return true;
      }
    }
    return false;
  }

 private:
  struct Message {
    Message(int peer_, std::string text_, MPI_Request request_)
        : peer(peer_), text(std::move(text_)), request(request_) {}
    int peer;
    std::string text;
    MPI_Request request;
  };

  static bool is_complete(Message& message) {
    int is_so = 0;
    return MPI_Test(&message.request, &is_so, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_so != 0;
  }
  void forget_sent() { outgoing_.remove_if(&MpiTransport::is_complete); }

  int rank_ = 0;
  int size_ = 1;
  std::list<Message> outgoing_;
  std::list<Message> incoming_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Transport* daedal_open_transport() {
  return new MpiTransport;
}

}  // namespace daedal::app
