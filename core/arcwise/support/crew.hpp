// A few threads that share many short pieces of work, one after the other.
//
// `run_tasks` starts threads for each call, which pays for work of milliseconds; here threads wait
// for the next piece, at first awake and then asleep, which pays from some tens of microseconds on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace arcwise {

// Threads that are waited for before they are forgotten.
//
// What std::jthread does; not all standard libraries have that yet.

class JoinedThreads {
  public:
    JoinedThreads() = default;
    ~JoinedThreads() { join(); }
    JoinedThreads(const JoinedThreads&) = delete;
    JoinedThreads& operator=(const JoinedThreads&) = delete;

    // Starts a thread; throws what std::thread throws if there can be no more.
    template <class Work>
    void start(Work&& work) {
        threads_.emplace_back(std::forward<Work>(work));
    }

    std::size_t size() const { return threads_.size(); }

    // Waits until all have ended.
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

  private:
    std::vector<std::thread> threads_;
};

class Crew {
  public:
    // So many threads, the caller's included.
    explicit Crew(int threads);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // Calls task(i) for i = 0 .. count-1, in increasing order of start, and returns when all are
    // done; the first exception is thrown again here, and what has not begun by then is left out.
    void run(std::size_t count, const std::function<void(std::size_t)>& task);

  private:
    void help();
    void work();

    const std::function<void(std::size_t)>* task_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::uint32_t> piece_{0};    // which one it is
    std::atomic<std::uint32_t> working_{0};  // helpers that are not done with it
    std::atomic<bool> over_{false};
    std::mutex mutex_;
    std::exception_ptr failure_;
    JoinedThreads helpers_;  // last: they end before what they use
};

}  // namespace arcwise
