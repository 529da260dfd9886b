// Runs independent tasks on several threads while the calling thread watches over them.
//
// With several threads the calling one does no work: it wakes up many times a second, reports
// progress to the monitor, and asks it whether to go on. That is how Ctrl-C and progress bars reach
// code that knows nothing of Python. With one thread the calling one does the work, and asks the
// monitor in between: on a busy machine a new thread may wait for its turn a hundred times as long
// as a short run takes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace arcwise {

// The cores of this machine. Whatever runs on processors gives the same bits on all of them, on any
// number of threads.
struct Processors {
    int threads = 1;
};

// Asked by the calling thread about every twentieth of a second; false stops the run.
class Monitor {
  public:
    virtual ~Monitor() = default;
    virtual bool proceed(double fraction_done) = 0;
};

// What a task sees of the run it belongs to.
class TaskContext {
  public:
    // `watch` is called by every `advance`, and throws to end the run; nothing if another thread
    // watches over it.
    TaskContext(const std::atomic<bool>& stop, std::atomic<std::uint64_t>& work_done,
                const std::function<void()>* watch = nullptr)
        : stop_(stop), work_done_(work_done), watch_(watch) {}

    // Adds to the work done and throws the `interrupted` error once the run is to stop. Tasks call
    // it often enough that a stop takes effect well within a second.
    void advance(std::uint64_t amount);

  private:
    const std::atomic<bool>& stop_;
    std::atomic<std::uint64_t>& work_done_;
    const std::function<void()>* watch_;
};

// Where a computation runs, and who watches over it.
struct RunOptions {
    Processors device;
    Monitor* monitor = nullptr;

    // Threads of this machine.
    int threads() const { return device.threads; }

    // For a part that is over in no time, whose share of the whole is not worth telling.
    RunOptions unwatched() const { return {device, nullptr}; }
};

// A run of several phases, each reported as its own part of the whole, so that progress never falls
// back. Work is in any unit, the same for all phases.
class Phases {
  public:
    Phases(const RunOptions& options, std::uint64_t total_work)
        : options_(options), total_work_(static_cast<double>(total_work)) {}

    // Calls run(options), whose monitor maps the share done of this phase to that of the whole.
    template <class Run>
    void run(std::uint64_t work, Run&& run) {
        const double first = work_done_;
        work_done_ += static_cast<double>(work);
        PartMonitor part(options_.monitor, first / total_work_, work_done_ / total_work_);
        run(RunOptions{options_.device, options_.monitor == nullptr ? nullptr : &part});
    }

  private:
    class PartMonitor final : public Monitor {
      public:
        PartMonitor(Monitor* whole, double first, double last)
            : whole_(whole), first_(first), last_(last) {}

        bool proceed(double fraction_done) override {
            return whole_->proceed(first_ + (last_ - first_) * fraction_done);
        }

      private:
        Monitor* whole_;
        double first_;
        double last_;
    };

    RunOptions options_;
    double total_work_;
    double work_done_ = 0.0;
};

// Tells the monitor that all is done; for what can end without having done all its parts.
void report_complete(const RunOptions& options);

// Calls `task(index, context)` for index = 0 .. count-1 in increasing order of start. The first
// exception stops the run and is thrown again here; an unwilling monitor ends in `interrupted`.
// `total_work` is what the calls of `advance` will add up to. The monitor is asked once more after
// the last task, so the last share it sees of a complete run is 1.
void run_tasks(std::size_t count, std::uint64_t total_work, const RunOptions& options,
               const std::function<void(std::size_t, TaskContext&)>& task);

// The time, for budgets that are given in it.
inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace arcwise
