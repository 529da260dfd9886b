// Threads that are waited for before they are forgotten.
//
// What std::jthread does; not all standard libraries have that yet.
#pragma once

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace arcwise {

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

}  // namespace arcwise
