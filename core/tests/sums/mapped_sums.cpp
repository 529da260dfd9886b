// Score sums written to a file and mapped again: the same answers to the last bit, and damaged
// files refused.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "arcwise/sums/score_sums.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr int nodes = 9;
constexpr char header[] = "whatever comes before";

// A file of its own that goes when the test ends.
struct TemporaryFile {
    TemporaryFile() {
        const std::string name = "arcwise_mapped_" + std::to_string(std::random_device{}());
        path = (std::filesystem::temp_directory_path() / name).string();
        std::ofstream(path) << header;
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
    std::string path;
};

// Weights so far apart that windows and rows kept as logarithms come up, too.
FamilyTable example(SumMethod method, double spread) {
    Random random(static_cast<std::uint64_t>(method), 3);
    FamilyTable table;
    for (int node = 0; node < nodes; ++node) {
        const int required = (node + 1) % nodes;
        std::vector<int> candidates;
        for (int other = 0; other < nodes; ++other) {
            if (other != node && other != required) candidates.push_back(other);
        }
        std::vector<int> outside;
        if (method == SumMethod::rows) {
            outside.assign(candidates.end() - 3, candidates.end());
            candidates.resize(candidates.size() - 3);
        }
        table.emplace_back(candidates, std::vector<int>{required}, 3, outside);
        set_weights(table.back(), random, spread, 0.1);
    }
    return table;
}

void check_same(const ScoreSums& made, const ScoreSums& mapped, std::uint64_t seed) {
    CHECK(mapped.nodes() == made.nodes());
    CHECK(mapped.words() == made.words());
    Random random(seed, 1);
    for (int i = 0; i < 200; ++i) {
        const int node = below(random, nodes);
        CHECK(mapped.possible_parents(node) == made.possible_parents(node));
        CHECK(mapped.inside(node) == made.inside(node));
        const auto allowed = made.bits(node, subset(random, nodes, 0.7));
        const auto wanted = made.bits(node, subset(random, nodes, 0.3));
        SumMemo memo;
        SumMemo other_memo;
        CHECK(mapped[node].log_sum(allowed.data()) == made[node].log_sum(allowed.data()));
        CHECK(mapped[node].log_sum(allowed.data(), wanted.data(), other_memo) ==
              made[node].log_sum(allowed.data(), wanted.data(), memo));
        CHECK(mapped[node].max(allowed.data()) == made[node].max(allowed.data()));
        Random draws(seed, static_cast<std::uint64_t>(i));
        Random other_draws = draws;
        const std::int64_t place = made[node].draw(allowed.data(), draws);
        CHECK(mapped[node].draw(allowed.data(), other_draws) == place);
        if (place >= 0) CHECK(mapped.family(node, place) == made.family(node, place));
        // The first places are never the required parent's, whose bit is the last one.
        const std::vector<int> places{0, 1, 2};
        std::vector<std::uint64_t> base(allowed);
        base[0] &= ~std::uint64_t{7};
        std::vector<double> sums(8);
        std::vector<double> other_sums(8);
        made[node].log_sums_over(base.data(), places, sums.data());
        mapped[node].log_sums_over(base.data(), places, other_sums.data());
        CHECK(sums == other_sums);
    }
}

}  // namespace

TEST(mapped_sums_answer_as_those_they_were_written_from) {
    for (const SumMethod method :
         {SumMethod::table, SumMethod::rows, SumMethod::walk, SumMethod::scan}) {
        for (const double spread : {20.0, 5000.0}) {
            const FamilyTable table = example(method, spread);
            const std::vector<SumMethod> methods(table.size(), method);
            for (const Tabulated tabulated : {Tabulated::sums, Tabulated::both}) {
                const ScoreSums made(table, methods, 1e-12, tabulated, {});
                const TemporaryFile file;
                made.write(file.path);
                // What was mapped outlives the name of its file, and copies of it.
                const std::optional<ScoreSums> mapped =
                    ScoreSums::map(file.path, sizeof header - 1);
                std::filesystem::remove(file.path);
                check_same(made, *mapped, static_cast<std::uint64_t>(method));
            }
        }
    }
}

TEST(files_of_sums_with_words_that_cannot_be_are_refused_or_mapped_and_break_nothing) {
    for (const SumMethod method : {SumMethod::table, SumMethod::walk}) {
        const FamilyTable table = example(method, 20.0);
        const ScoreSums made(table, std::vector<SumMethod>(table.size(), method), 1e-12,
                             Tabulated::sums, {});
        const TemporaryFile file;
        made.write(file.path);
        const auto size = std::filesystem::file_size(file.path);
        const std::vector<char> ones(8, '\xFF');
        std::vector<char> before(8);
        int refused = 0;
        for (std::uintmax_t at = sizeof header - 1; at + 8 <= size; at += 8) {
            std::fstream out(file.path, std::ios::binary | std::ios::in | std::ios::out);
            out.seekg(static_cast<std::streamoff>(at)).read(before.data(), 8);
            out.seekp(static_cast<std::streamoff>(at)).write(ones.data(), 8).flush();
            try {
                ScoreSums::map(file.path, sizeof header - 1);
            } catch (const Error& error) {
                CHECK(error.kind() == ErrorKind::file_format);
                ++refused;
            }
            out.seekp(static_cast<std::streamoff>(at)).write(before.data(), 8).flush();
        }
        CHECK(refused > 0);
        ScoreSums::map(file.path, sizeof header - 1);
    }
}

TEST(files_of_sums_that_are_cut_or_too_long_are_refused) {
    const FamilyTable table = example(SumMethod::table, 20.0);
    const ScoreSums made(table, std::vector<SumMethod>(table.size(), SumMethod::table), 1e-12,
                         Tabulated::sums, {});
    const TemporaryFile file;
    made.write(file.path);
    const auto size = std::filesystem::file_size(file.path);
    std::ofstream(file.path, std::ios::app) << "x";
    CHECK_THROWS_KIND(ScoreSums::map(file.path, sizeof header - 1), file_format);
    for (const std::uintmax_t cut : {size - 1, size / 2, std::uintmax_t{30}, std::uintmax_t{0}}) {
        std::filesystem::resize_file(file.path, cut);
        CHECK_THROWS_KIND(ScoreSums::map(file.path, sizeof header - 1), file_format);
    }
    CHECK_THROWS_KIND(ScoreSums::map("/there/is/no/such/file", 0), file_format);
    CHECK_THROWS_KIND(made.write("/there/is/no/such/file"), file_format);
}
