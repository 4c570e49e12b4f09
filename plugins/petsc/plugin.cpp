// SPDX-License-Identifier: BSD-3-Clause
// The plug-in through which PETSc integrates rows that processes share. This folder is all of the
// program that is compiled against PETSc.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "petsc/engine.hpp"
#include "plugins/petsc/distributed_run.hpp"
#include "plugins/petsc/objects.hpp"

namespace daedal::app {

namespace {

class PetscRanks final : public PetscEngine {
 public:
  explicit PetscRanks(const std::vector<std::string>& options) {
    words_ = {"daedal"};
    words_.insert(words_.end(), options.begin(), options.end());
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    int n = static_cast<int>(words_.size());
    char** arguments = pointers_.data();
    PetscInitialize(&n, &arguments, nullptr, nullptr);
    PetscPopSignalHandler();  // interrupts are the program's
    PetscPushErrorHandler(note_error, nullptr);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank_);
    MPI_Comm_size(PETSC_COMM_WORLD, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  PetscOutcome run(const PetscTask& task) override {
    try {
      return DistributedRun(task, rank_, size_).run();
    } catch (const Refusal& refusal) {
      return {.refusal = refusal.what()};
    } catch (const PetscFailure& failure) {
      return {.refusal = std::string("PETSc says: ") + failure.what() + "."};
    } catch (const std::exception& error) {
      if (size_ == 1) throw;
      // Of this rank alone, as where its memory is used up: the others would wait for it.
      std::fprintf(stderr, "error: rank %d: %s\n", rank_, error.what());
      MPI_Abort(PETSC_COMM_WORLD, EXIT_FAILURE);
      throw;
    }
  }
  void close() override { PetscFinalize(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) PetscEngine* daedal_open_petsc(
    const std::vector<std::string>& options) {
  return new PetscRanks(options);
}

}  // namespace daedal::app
