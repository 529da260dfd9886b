// Runs independent tasks on several threads while the calling thread watches over them.
//
// The calling thread does no work: it wakes up many times a second, reports progress to the
// monitor, and asks it whether to go on. That is how Ctrl-C and progress bars reach code that
// knows nothing of Python.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace arcwise {

// Asked by the calling thread about every twentieth of a second; false stops the run.
class Monitor {
  public:
    virtual ~Monitor() = default;
    virtual bool proceed(double fraction_done) = 0;
};

// What a task sees of the run it belongs to.
class TaskContext {
  public:
    TaskContext(const std::atomic<bool>& stop, std::atomic<std::uint64_t>& work_done)
        : stop_(stop), work_done_(work_done) {}

    // Adds to the work done and throws the `interrupted` error once the run is to stop. Tasks call
    // it often enough that a stop takes effect well within a second.
    void advance(std::uint64_t amount);

  private:
    const std::atomic<bool>& stop_;
    std::atomic<std::uint64_t>& work_done_;
};

struct RunOptions {
    int threads = 1;
    Monitor* monitor = nullptr;
};

// Calls `task(index, context)` for index = 0 .. count-1 in increasing order of start. The first
// exception stops the run and is thrown again here; an unwilling monitor ends in `interrupted`.
// `total_work` is what the calls of `advance` will add up to.
void run_tasks(std::size_t count, std::uint64_t total_work, const RunOptions& options,
               const std::function<void(std::size_t, TaskContext&)>& task);

}  // namespace arcwise
