// Threads: every task once, errors and interruption out, progress in.
#include "arcwise/support/tasks.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"

using namespace arcwise;

namespace {

class Recorder final : public Monitor {
  public:
    explicit Recorder(int refuse_at = -1) : refuse_at_(refuse_at) {}

    bool proceed(double fraction_done) override {
        shares.push_back(fraction_done);
        ++asked;
        thread = std::this_thread::get_id();
        return static_cast<int>(shares.size()) != refuse_at_;
    }

    std::vector<double> shares;
    std::atomic<int> asked{0};
    std::thread::id thread;

  private:
    int refuse_at_;
};

void sleep_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

}  // namespace

TEST(every_task_runs_once_on_any_number_of_threads) {
    for (const int threads : {-1, 0, 1, 2, 3, 50}) {
        for (const std::size_t count : {0, 1, 7, 1000}) {
            std::vector<std::atomic<int>> runs(count);
            run_tasks(count, count, RunOptions{Processors{threads}, nullptr},
                      [&](std::size_t index, TaskContext& context) {
                          ++runs[index];
                          context.advance(1);
                      });
            for (const std::atomic<int>& times : runs) CHECK(times == 1);
        }
    }
}

TEST(progress_grows_to_one_and_is_told_by_the_calling_thread) {
    Recorder recorder;
    run_tasks(4, 40, RunOptions{Processors{2}, &recorder}, [&](std::size_t, TaskContext& context) {
        for (int i = 0; i < 10; ++i) {
            while (i == 9 && recorder.asked == 0) sleep_a_moment();
            context.advance(1);
        }
    });
    CHECK(recorder.thread == std::this_thread::get_id());
    CHECK(recorder.shares.size() >= 2);
    for (std::size_t i = 1; i < recorder.shares.size(); ++i) {
        CHECK(recorder.shares[i] >= recorder.shares[i - 1]);
    }
    CHECK(recorder.shares.back() == 1.0);
}

TEST(one_thread_is_the_calling_one_and_others_are_not) {
    const auto caller = std::this_thread::get_id();
    for (const int threads : {0, 1, 2, 3}) {
        Recorder recorder;
        std::atomic<int> here{0};
        run_tasks(6, 6, RunOptions{Processors{threads}, &recorder},
                  [&](std::size_t, TaskContext& context) {
                      here += std::this_thread::get_id() == caller ? 1 : 0;
                      context.advance(1);
                  });
        CHECK(here == (threads < 2 ? 6 : 0));
        CHECK(recorder.thread == caller);
        CHECK(recorder.shares.back() == 1.0);
    }
}

TEST(work_by_the_calling_thread_is_reported_as_it_goes) {
    Recorder recorder;
    const auto work = [&](std::size_t index, TaskContext& context) {
        for (int i = 0; i < 20; ++i) {
            context.advance(1);
            // Each task is asked about before its last piece.
            while (i == 18 && recorder.asked <= static_cast<int>(index)) {
                sleep_a_moment();
                context.advance(0);
            }
        }
    };
    run_tasks(2, 40, RunOptions{Processors{1}, &recorder}, work);
    CHECK(recorder.shares.size() >= 3);
    CHECK(recorder.shares.front() > 0.0);
    CHECK(recorder.shares.front() < 1.0);
    for (std::size_t i = 1; i < recorder.shares.size(); ++i) {
        CHECK(recorder.shares[i] >= recorder.shares[i - 1]);
    }
    CHECK(recorder.shares.back() == 1.0);
}

TEST(a_monitor_that_refuses_is_not_asked_again_while_tasks_are_left) {
    Recorder recorder(2);
    int again = 0;
    CHECK_THROWS_KIND(
        run_tasks(3, 1, RunOptions{Processors{1}, &recorder},
                  [&](std::size_t, TaskContext& context) {
                      try {
                          for (;;) {
                              std::this_thread::sleep_for(std::chrono::milliseconds(5));
                              context.advance(0);
                          }
                      } catch (const Error&) {
                          ++again;
                          std::this_thread::sleep_for(std::chrono::milliseconds(60));
                          context.advance(0);
                      }
                  }),
        interrupted);
    CHECK(recorder.shares.size() == 2);
    CHECK(again == 1);
}

TEST(a_monitor_stops_a_run_that_would_never_end) {
    Recorder recorder(3);
    std::atomic<int> ended{0};
    const auto start = std::chrono::steady_clock::now();
    CHECK_THROWS_KIND(
        run_tasks(10, 1, RunOptions{Processors{3}, &recorder},
                  [&](std::size_t, TaskContext& context) {
                      try {
                          for (;;) {
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                              context.advance(0);
                          }
                      } catch (...) {
                          ++ended;
                          throw;
                      }
                  }),
        interrupted);
    CHECK(recorder.shares.size() == 3);
    CHECK(ended == 3);
    // Generous, for a machine that is busy; three looks take about 150 milliseconds.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST(the_first_exception_comes_out_and_stops_the_others) {
    std::atomic<int> finished{0};
    std::string said;
    try {
        run_tasks(1000, 1000, RunOptions{Processors{2}, nullptr},
                  [&](std::size_t index, TaskContext& context) {
                      if (index == 5) throw std::runtime_error("task five");
                      while (index > 5) {
                          sleep_a_moment();
                          context.advance(0);
                      }
                      context.advance(1);
                      ++finished;
                  });
    } catch (const std::runtime_error& error) {
        said = error.what();
    }
    CHECK(said == "task five");
    CHECK(finished <= 5);
}

TEST(errors_of_the_core_keep_their_kind) {
    CHECK_THROWS_KIND(run_tasks(3, 3, RunOptions{Processors{2}, nullptr},
                                [](std::size_t, TaskContext&) {
                                    throw Error(ErrorKind::numerical, "no digits left");
                                }),
                      numerical);
}
