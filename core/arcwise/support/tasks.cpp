// Worker threads pull task numbers from a shared counter until it is spent or the run is stopped;
// a single one is the calling thread itself.
#include "arcwise/support/tasks.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "arcwise/support/crew.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

namespace {

constexpr std::chrono::milliseconds between_looks(50);

double share_done(std::uint64_t work_done, std::uint64_t total_work) {
    if (total_work == 0) return 1.0;
    return std::min(1.0, static_cast<double>(work_done) / static_cast<double>(total_work));
}

[[noreturn]] void stop_interrupted() {
    throw Error(ErrorKind::interrupted, "The run was interrupted.");
}

}  // namespace

void TaskContext::advance(std::uint64_t amount) {
    work_done_.fetch_add(amount, std::memory_order_relaxed);
    if (stop_.load(std::memory_order_relaxed)) stop_interrupted();
    if (watch_ != nullptr) (*watch_)();
}

void report_complete(const RunOptions& options) {
    if (options.monitor != nullptr && !options.monitor->proceed(1.0)) stop_interrupted();
}

namespace {

void run_here(std::size_t count, std::uint64_t total_work, Monitor* monitor,
              const std::function<void(std::size_t, TaskContext&)>& task) {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> work_done{0};
    const auto ask = [&] {
        // Once refused, a run is not asked about again while it is unwound.
        if (!monitor->proceed(share_done(work_done.load(), total_work))) {
            stop = true;
            stop_interrupted();
        }
    };
    auto next_look = std::chrono::steady_clock::now() + between_looks;
    const std::function<void()> watch = [&] {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_look) return;
        ask();
        next_look = std::chrono::steady_clock::now() + between_looks;
    };
    TaskContext context(stop, work_done, monitor == nullptr ? nullptr : &watch);
    for (std::size_t index = 0; index < count; ++index) task(index, context);
    if (monitor != nullptr) ask();
}

}  // namespace

void run_tasks(std::size_t count, std::uint64_t total_work, const RunOptions& options,
               const std::function<void(std::size_t, TaskContext&)>& task) {
    // Not by the number of tasks as well: a single task may have several threads of its own, which
    // must not ask the monitor.
    if (options.threads() <= 1) {
        run_here(count, total_work, options.monitor, task);
        return;
    }
    const std::size_t wanted = std::clamp<std::size_t>(static_cast<std::size_t>(options.threads()),
                                                       1, std::max<std::size_t>(1, count));
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> work_done{0};
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable finished;
    std::size_t running = 0;
    std::exception_ptr first_failure;

    const auto work = [&] {
        TaskContext context(stop, work_done);
        try {
            while (!stop.load(std::memory_order_relaxed)) {
                const std::size_t index = next.fetch_add(1);
                if (index >= count) break;
                task(index, context);
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!first_failure) first_failure = std::current_exception();
            stop = true;
        }
        const std::lock_guard lock(mutex);
        --running;
        finished.notify_one();
    };

    running = wanted;
    JoinedThreads workers;
    try {
        for (std::size_t i = 0; i < wanted; ++i) workers.start(work);
    } catch (...) {
        // The threads that did start must not outlive the state they refer to.
        stop = true;
        workers.join();
        throw;
    }

    bool refused = false;
    {
        std::unique_lock lock(mutex);
        for (bool ended = false; !ended;) {
            ended = finished.wait_for(lock, between_looks, [&] { return running == 0; });
            if (options.monitor == nullptr || refused) continue;
            lock.unlock();
            if (!options.monitor->proceed(share_done(work_done.load(), total_work))) {
                refused = true;
                stop = true;
            }
            lock.lock();
        }
    }
    workers.join();
    if (refused) stop_interrupted();
    if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace arcwise
