// Score files: what is written is read back to the last bit, and a damaged file is refused.
#include "arcwise/files/jkl.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

// A file name of its own for each use, removed at the end.
class TemporaryFile {
  public:
    TemporaryFile() {
        static int number = 0;
        const auto unique = reinterpret_cast<std::uintptr_t>(this);
        path_ = (std::filesystem::temp_directory_path() /
                 ("arcwise_core_test_" + std::to_string(unique) + "_" + std::to_string(++number) +
                  ".jkl"))
                    .string();
    }
    TemporaryFile(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path_); }

    const std::string& path() const { return path_; }

    void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

    std::string read() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

  private:
    std::string path_;
};

NamedFamilies read_text(const std::string& text) {
    const TemporaryFile file;
    file.write(text);
    return read_jkl(file.path());
}

const std::vector<std::string> names{"first", "second", "third", "fourth"};

FamilyTable example_table() {
    FamilyTable table;
    Random random(1, 0);
    table.emplace_back(std::vector<int>{1, 2, 3}, std::vector<int>{}, 2);
    table.emplace_back(std::vector<int>{0, 3}, std::vector<int>{2}, 2);
    table.emplace_back(std::vector<int>{}, std::vector<int>{}, 0);
    table.emplace_back(std::vector<int>{0, 1, 2}, std::vector<int>{}, 3);
    for (NodeFamilies& families : table) set_weights(families, random, 1e4);
    return table;
}

}  // namespace

TEST(scores_survive_a_file_to_the_last_bit) {
    const FamilyTable table = example_table();
    const TemporaryFile file;
    write_jkl(file.path(), names, table);
    const NamedFamilies read = read_jkl(file.path());
    CHECK(read.names == names);
    CHECK(read.table.size() == table.size());
    for (std::size_t node = 0; node < table.size(); ++node) {
        CHECK(read.table[node].count() == table[node].count());
        table[node].for_each([&](std::uint64_t index, std::span<const int> members) {
            const std::int64_t found = read.table[node].find(table[node].parents(members));
            CHECK(found >= 0 && read.table[node].values()[static_cast<std::size_t>(found)] ==
                                    table[node].values()[index]);
        });
    }
    const TemporaryFile again;
    write_jkl(again.path(), read.names, read.table);
    CHECK(read_jkl(again.path()).table[3].values() == read.table[3].values());
    CHECK(!std::filesystem::exists(file.path() + ".partial"));
}

TEST(families_of_weight_zero_are_not_written) {
    FamilyTable table = example_table();
    table[0].values()[3] = minus_infinity;
    const TemporaryFile file;
    write_jkl(file.path(), names, table);
    CHECK(read_jkl(file.path()).table[0].count() == table[0].count() - 1);
}

TEST(a_file_cut_anywhere_is_refused) {
    const TemporaryFile whole;
    write_jkl(whole.path(), names, example_table());
    const std::string text = whole.read();
    // The last character is the end of the last line, which may be missing.
    for (std::size_t length = 0; length + 1 < text.size(); ++length) {
        CHECK_THROWS_KIND(read_text(text.substr(0, length)), file_format);
    }
    CHECK(read_text(text.substr(0, text.size() - 1)).table.size() == names.size());
    CHECK_THROWS_KIND(read_text(text + "-1.0 0\n"), file_format);
}

TEST(white_space_and_line_ends_of_other_systems_are_read) {
    const NamedFamilies read =
        read_text("\n2 \r\n\r\na 1\r\n  -3.5\t0\r\n\nb 2\r\n+1e-3 0\r\n-4 1 a\r\n");
    CHECK((read.names == std::vector<std::string>{"a", "b"}));
    CHECK(read.table[0].values()[0] == -3.5);
    CHECK(read.table[1].values()[0] == 1e-3);
    CHECK(read.table[1].values()[1] == -4.0);
}

TEST(wrong_files_are_refused) {
    for (const char* text : {
             "0\n",                                   // no variables
             "x\n",                                   // no number
             "1 2\n",                                 // more than a number
             "-1\n",                                  // negative
             "1\na 0\n",                              // no family
             "1\na 1\nnan 0\n",                       // score that is no number
             "1\na 1\ninf 0\n",                       // infinite score
             "1\na 1\n-1.0 1 a\n",                    // its own parent
             "1\na 1\n-1.0 1 b\n",                    // unknown parent
             "1\na 1\n-1.0 2 b\n",                    // fewer parents than announced
             "1\na 1\n-1.0x 0\n",                     // score with a tail
             "1\na 1\n-1.0.5 0\n",                    // two points
             "1\na 1\n--1.0 0\n",                     // two signs
             "1\na 1\n+-1.0e 0\n",                    // no exponent
             "1\na 1\n0x10 0\n",                      // hexadecimal
             "1\na 1\n1e999 0\n",                     // too large
             "2\na 1\n-1.0 0\na 1\n-1.0 0\n",         // a name twice
             "2\na 1\n-1.0 0\nb 1\n-1.0 2 a a\n",     // a parent twice
             "2\na 1\n-1.0 0\nb 2\n-1.0 0\n-2.0 0\n"  // a family twice
         }) {
        CHECK_THROWS_KIND(read_text(text), file_format);
    }
    CHECK_THROWS_KIND(read_jkl("/no/such/folder/scores.jkl"), file_format);
    CHECK_THROWS_KIND(read_jkl(std::filesystem::temp_directory_path().string()), file_format);
}

TEST(what_cannot_be_written_is_refused) {
    const TemporaryFile file;
    std::vector<std::string> spaced(names);
    spaced[1] = "two words";
    CHECK_THROWS_KIND(write_jkl(file.path(), spaced, example_table()), argument);
    CHECK_THROWS_KIND(write_jkl("/no/such/folder/scores.jkl", names, example_table()), file_format);
    CHECK(!std::filesystem::exists(file.path()));
}
