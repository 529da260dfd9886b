// Numbers that go out as bytes come back, and damaged bytes do not.
#include "arcwise/support/bytes.hpp"

#include <cmath>
#include <limits>

#include "arcwise/support/random.hpp"
#include "check.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

constexpr std::string_view name = "some numbers";

std::vector<unsigned char> written() {
    ByteWriter out;
    out.put(std::uint64_t{0x0123456789ABCDEF});
    out.put(-0.0);
    out.put(std::vector<double>{std::numeric_limits<double>::infinity(), 5e-324});
    out.put(std::vector<std::uint16_t>{7, 65535});
    return out.sealed(name, 3);
}

void read_all(std::span<const unsigned char> bytes) {
    ByteReader in(bytes, name, 3);
    CHECK(in.get<std::uint64_t>() == 0x0123456789ABCDEF);
    const double zero = in.get<double>();
    CHECK(zero == 0.0 && std::signbit(zero));
    CHECK((in.get_vector<double>() ==
           std::vector<double>{std::numeric_limits<double>::infinity(), 5e-324}));
    std::vector<std::uint16_t> two(2);
    in.get_into(two);
    CHECK((two == std::vector<std::uint16_t>{7, 65535}));
    in.finish();
}

}  // namespace

TEST(bytes_come_back_as_the_numbers_they_were) {
    const std::vector<unsigned char> bytes = written();
    read_all(bytes);
    // Lowest byte first, whatever the machine: files travel.
    const std::size_t start = name.size() + 4;
    CHECK(bytes[name.size()] == 3);
    CHECK(bytes[start] == 0xEF);
    CHECK(bytes[start + 7] == 0x01);
}

TEST(every_flipped_bit_and_every_cut_is_noticed) {
    const std::vector<unsigned char> bytes = written();
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::vector<unsigned char> damaged = bytes;
        damaged[bit / 8] = static_cast<unsigned char>(damaged[bit / 8] ^ (1U << (bit % 8)));
        CHECK_THROWS_KIND(ByteReader(damaged, name, 3), file_format);
    }
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CHECK_THROWS_KIND(ByteReader(std::span(bytes).first(length), name, 3), file_format);
    }
}

TEST(bytes_of_another_kind_are_refused) {
    const std::vector<unsigned char> bytes = written();
    CHECK_THROWS_KIND(ByteReader(bytes, name, 4), file_format);
    CHECK_THROWS_KIND(ByteReader(bytes, "same numbers", 3), file_format);
    ByteReader in(bytes, name, 3);
    CHECK_THROWS_KIND(in.finish(), file_format);
    in.get<std::uint64_t>();
    in.get<double>();
    std::vector<double> three(3);
    CHECK_THROWS_KIND(in.get_into(three), file_format);
}

TEST(a_restored_generator_goes_on_where_it_was) {
    for (int drawn = 0; drawn < 10; ++drawn) {
        Random random(11, 4);
        for (int i = 0; i < drawn; ++i) random.bits();
        ByteWriter out;
        random.save(out);
        const std::vector<unsigned char> bytes = out.sealed(name, 1);
        ByteReader in(bytes, name, 1);
        Random restored(0, 0);
        restored.restore(in);
        in.finish();
        for (int i = 0; i < 9; ++i) CHECK(restored.bits() == random.bits());
    }
}
