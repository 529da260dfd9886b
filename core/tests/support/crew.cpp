// Threads that share many short pieces of work: all of it is done, once, and failures come out.
#include "arcwise/support/crew.hpp"

#include <numeric>

#include "arcwise/support/error.hpp"
#include "check.hpp"

namespace arcwise::tests {

TEST(a_crew_does_every_task_of_every_piece_once) {
    for (const int threads : {1, 2, 5}) {
        Crew crew(threads);
        std::vector<int> done(7, 0);
        for (int piece = 0; piece < 300; ++piece) {
            crew.run(done.size(), [&](std::size_t i) { ++done[i]; });
        }
        for (const int each : done) CHECK(each == 300);
    }
}

TEST(a_crew_of_more_threads_than_tasks_ends) {
    Crew crew(4);
    int done = 0;
    crew.run(1, [&](std::size_t) { ++done; });
    crew.run(0, [&](std::size_t) { ++done; });
    CHECK(done == 1);
}

TEST(what_fails_in_a_crew_is_thrown_and_the_crew_goes_on) {
    Crew crew(3);
    CHECK_THROWS_KIND(crew.run(64,
                               [](std::size_t i) {
                                   if (i == 5) throw Error(ErrorKind::argument, "The fifth.");
                               }),
                      argument);
    std::vector<int> done(9, 0);
    crew.run(done.size(), [&](std::size_t i) { ++done[i]; });
    CHECK(std::accumulate(done.begin(), done.end(), 0) == 9);
}

}  // namespace arcwise::tests
