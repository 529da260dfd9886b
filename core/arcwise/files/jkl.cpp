// The .jkl format, with the line number in every complaint.
#include "arcwise/files/jkl.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "arcwise/support/compiler.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& what) {
    throw Error(ErrorKind::file_format, "'" + path + "' is not a complete .jkl score file: line " +
                                            std::to_string(line) + " " + what +
                                            "; write it again or check where it was cut.");
}

// Reads a number that takes all of a word; says whether it does.
template <class Number>
bool read_number(const char* first, const char* last, Number& value) {
    const auto [end, problem] = std::from_chars(first, last, value);
    return problem == std::errc() && end == last;
}

#if !defined(__cpp_lib_to_chars) || defined(ARCWISE_PLAIN)
// Some standard libraries read whole numbers alone by from_chars. A stream knows neither infinities
// nor numbers that are not, and takes hexadecimal ones.
bool read_number(const char* first, const char* last, double& value) {
    std::string word(first, last);
    const bool negative = word.starts_with('-');
    for (char& letter : word) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    const std::string_view magnitude = std::string_view(word).substr(negative ? 1 : 0);
    if (magnitude == "inf" || magnitude == "infinity" || magnitude == "nan") {
        value = magnitude == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                   : std::numeric_limits<double>::infinity();
        if (negative) value = -value;
        return true;
    }
    if (word.find_first_not_of("0123456789.e+-") != std::string::npos) return false;
    if (word.starts_with('+')) return false;
    std::istringstream stream(word);
    stream.imbue(std::locale::classic());
    stream >> value;
    return !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
}
#endif

// Splits text into lines of white-space separated words; blank lines are passed over.
class WordLines {
  public:
    WordLines(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    bool next(std::vector<std::string_view>& words) {
        words.clear();
        while (words.empty() && at_ < text_.size()) {
            ++line_;
            const std::size_t end = std::min(text_.find('\n', at_), text_.size());
            std::size_t i = at_;
            while (i < end) {
                if (blank(text_[i])) {
                    ++i;
                    continue;
                }
                const std::size_t start = i;
                while (i < end && !blank(text_[i])) ++i;
                words.push_back(text_.substr(start, i - start));
            }
            at_ = end + 1;
        }
        return !words.empty();
    }

    void need(std::vector<std::string_view>& words, const std::string& what) {
        if (!next(words)) {
            ++line_;
            fail("is missing where " + what + " should be");
        }
    }

    template <class Number>
    Number number(std::string_view word, const std::string& what) const {
        Number value{};
        const char* last = word.data() + word.size();
        const char* first = word.data() + (word.starts_with('+') ? 1 : 0);
        if (!read_number(first, last, value)) {
            fail("has '" + shown(word) + "' where " + what + " should be");
        }
        return value;
    }

    [[noreturn]] void fail(const std::string& what) const { refuse(path_, line_, what); }

  private:
    // A word that was expected to be a number, so all of it that matters is plain ASCII.
    static std::string shown(std::string_view word) {
        std::string result(word.substr(0, 40));
        for (char& c : result) {
            if (c < ' ' || c > '~') c = '?';
        }
        return result;
    }

    static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    std::string_view text_;
    const std::string& path_;
    std::size_t at_ = 0;
    std::size_t line_ = 0;
};

struct RawFamilies {
    std::vector<double> scores;
    std::vector<std::string_view> parents;
    std::vector<std::uint64_t> offsets{0};
    std::size_t header_line = 0;
};

std::string read_file(const std::string& path) {
    const std::filesystem::path name = file_name(path);
    std::ifstream file(name, std::ios::binary);
    if (!file || std::filesystem::is_directory(name)) {
        throw Error(ErrorKind::file_format,
                    "'" + path + "' cannot be read; check the path and its permissions.");
    }
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A message ends at its first NUL byte.
std::string without_nul(std::string_view text) {
    std::string result(text);
    std::replace(result.begin(), result.end(), '\0', ' ');
    return result;
}

NodeFamilies resolve(const RawFamilies& raw, int node,
                     const std::unordered_map<std::string_view, int>& numbers,
                     const std::string& name, const std::string& path) {
    std::vector<int> parents;
    for (const std::string_view parent : raw.parents) {
        const auto found = numbers.find(parent);
        if (found == numbers.end() || found->second == node) {
            throw Error(ErrorKind::file_format,
                        "'" + path + "' gives variable '" + without_nul(name) + "' the parent '" +
                            without_nul(parent) + "', which is " +
                            (found == numbers.end() ? "not a variable of the file" : "itself") +
                            "; correct the file.");
        }
        parents.push_back(found->second);
    }
    std::vector<int> candidates(parents);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (candidates.size() > 0xFFFF) {
        throw Error(ErrorKind::capacity, "Variable '" + name + "' has more than 65,535 parents.");
    }
    std::vector<std::uint16_t> members;
    for (std::size_t family = 0; family + 1 < raw.offsets.size(); ++family) {
        const std::size_t first = members.size();
        for (std::uint64_t i = raw.offsets[family]; i < raw.offsets[family + 1]; ++i) {
            const auto place = std::lower_bound(candidates.begin(), candidates.end(), parents[i]);
            members.push_back(static_cast<std::uint16_t>(place - candidates.begin()));
        }
        const auto start = members.begin() + static_cast<std::ptrdiff_t>(first);
        std::sort(start, members.end(), std::greater<>());
        if (std::adjacent_find(start, members.end()) != members.end()) {
            throw Error(ErrorKind::file_format, "'" + path +
                                                    "' names a parent twice in a family "
                                                    "of variable '" +
                                                    name + "'; correct the file.");
        }
    }
    NodeFamilies families(std::move(candidates), {}, std::move(members), raw.offsets);
    families.values() = raw.scores;
    std::vector<std::vector<int>> seen;
    families.for_each([&](std::uint64_t, std::span<const int> set) {
        seen.emplace_back(set.begin(), set.end());
    });
    std::sort(seen.begin(), seen.end());
    if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) {
        throw Error(ErrorKind::file_format, "'" + path + "' lists a parent set of variable '" +
                                                name + "' twice; keep one of them.");
    }
    return families;
}

}  // namespace

NamedFamilies read_jkl(const std::string& path) {
    const std::string text = read_file(path);
    WordLines lines(text, path);
    std::vector<std::string_view> words;
    lines.need(words, "the number of variables");
    if (words.size() != 1) lines.fail("should hold only the number of variables");
    const auto count = lines.number<std::uint32_t>(words[0], "the number of variables");
    if (count == 0) lines.fail("says there are no variables");

    NamedFamilies result;
    std::vector<RawFamilies> raw;
    std::unordered_map<std::string_view, int> numbers;
    std::vector<std::string_view> name_views;
    for (std::uint32_t node = 0; node < count; ++node) {
        lines.need(words, "a variable's name");
        if (words.size() != 2)
            lines.fail("should hold a variable's name and its number of families");
        if (!numbers.emplace(words[0], static_cast<int>(node)).second) {
            lines.fail("repeats the variable '" + std::string(words[0]) + "'");
        }
        result.names.emplace_back(words[0]);
        const auto families = lines.number<std::uint64_t>(words[1], "a number of families");
        if (families == 0) lines.fail("gives variable '" + result.names.back() + "' no parent set");
        RawFamilies& own = raw.emplace_back();
        for (std::uint64_t family = 0; family < families; ++family) {
            lines.need(words, "a family");
            if (words.size() < 2) lines.fail("should hold a score and a number of parents");
            const double score = lines.number<double>(words[0], "a score");
            if (!std::isfinite(score)) lines.fail("has a score that is not finite");
            own.scores.push_back(score);
            const auto parents = lines.number<std::uint32_t>(words[1], "a number of parents");
            if (words.size() != 2 + std::size_t{parents}) {
                lines.fail("announces " + std::to_string(parents) + " parents and lists " +
                           std::to_string(words.size() - 2));
            }
            own.parents.insert(own.parents.end(), words.begin() + 2, words.end());
            own.offsets.push_back(own.parents.size());
        }
    }
    if (lines.next(words)) lines.fail("comes after the last family");
    for (std::uint32_t node = 0; node < count; ++node) {
        result.table.push_back(
            resolve(raw[node], static_cast<int>(node), numbers, result.names[node], path));
        raw[node] = {};
    }
    return result;
}

void write_jkl(const std::string& path, const std::vector<std::string>& names,
               const FamilyTable& table) {
    for (const std::string& name : names) {
        if (name.empty() || name.find_first_of(" \t\r\n\v\f") != std::string::npos) {
            throw Error(ErrorKind::argument,
                        "A .jkl file separates names by white space and cannot "
                        "hold the name '" +
                            name + "'; rename that variable.");
        }
    }
    // A complete file or none: it is written beside its place and moved there at the end.
    const std::filesystem::path place = file_name(path);
    const std::filesystem::path beside = file_name(path + ".partial");
    const bool folder = std::filesystem::is_directory(place);
    std::ofstream file;
    if (!folder) file.open(beside, std::ios::binary);
    if (!file.is_open()) {
        throw Error(
            ErrorKind::file_format,
            "'" + path +
                (folder ? "' is a folder; give the name of a file in it."
                        : "' cannot be written; check that its folder exists and is writable."));
    }
    std::string out = std::to_string(table.size()) + "\n";
    const auto flush = [&] {
        file.write(out.data(), static_cast<std::streamsize>(out.size()));
        out.clear();
    };
    char digits[32];
    for (std::size_t node = 0; node < table.size(); ++node) {
        const NodeFamilies& families = table[node];
        const std::vector<double>& values = families.values();
        // A family of weight zero is one that is not there.
        const auto absent = static_cast<std::uint64_t>(std::count_if(
            values.begin(), values.end(), [](double value) { return std::isinf(value); }));
        out += names[node] + " " + std::to_string(families.count() - absent) + "\n";
        families.for_each([&](std::uint64_t index, std::span<const int> members) {
            if (std::isinf(values[index])) return;
            const auto [end, problem] =
                std::to_chars(digits, digits + sizeof digits, values[index]);
            out.append(digits, end);
            const std::vector<int> parents = families.parents(members);
            out += ' ';
            out += std::to_string(parents.size());
            for (const int parent : parents) {
                out += ' ';
                out += names[static_cast<std::size_t>(parent)];
            }
            out += '\n';
            if (out.size() > (1 << 20)) flush();
        });
    }
    flush();
    file.close();
    const bool written = file.good();
    std::error_code problem;
    if (written) std::filesystem::rename(beside, place, problem);
    if (!written || problem) {
        std::filesystem::remove(beside, problem);
        throw Error(
            ErrorKind::file_format,
            "'" + path + "' could not be written in full; check the free space of its disk.");
    }
}

}  // namespace arcwise
