// The frame around saved numbers: name, version and checksum.
#include "arcwise/support/bytes.hpp"

#include <algorithm>
#include <string>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// FNV-1a: each step is one-to-one for a given byte, so that a single changed byte always shows.
std::uint64_t checksum(std::span<const unsigned char> bytes) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001B3ULL;
    return hash;
}

}  // namespace

std::vector<unsigned char> ByteWriter::sealed(std::string_view name, std::uint32_t version) const {
    ByteWriter frame;
    frame.bytes_.assign(name.begin(), name.end());
    frame.put(version);
    frame.bytes_.insert(frame.bytes_.end(), bytes_.begin(), bytes_.end());
    frame.put(checksum(frame.bytes_));
    return std::move(frame.bytes_);
}

ByteReader::ByteReader(std::span<const unsigned char> sealed, std::string_view name,
                       std::uint32_t version)
    : left_(sealed) {
    constexpr std::size_t seal = sizeof(std::uint64_t);
    if (sealed.size() < name.size() + sizeof(version) + seal) damaged();
    left_ = sealed.last(seal);
    const auto expected = get<std::uint64_t>();
    left_ = sealed.first(sealed.size() - seal);
    if (checksum(left_) != expected || !std::ranges::equal(left_.first(name.size()), name)) {
        damaged();
    }
    take(name.size());
    const auto found = get<std::uint32_t>();
    if (found != version) {
        throw Error(ErrorKind::file_format,
                    "The saved state has the format " + std::to_string(found) +
                        ", and this arcwise reads " + std::to_string(version) +
                        "; go on with the version that wrote it.");
    }
}

const unsigned char* ByteReader::take(std::size_t count) {
    if (count > left_.size()) damaged();
    const unsigned char* from = left_.data();
    left_ = left_.subspan(count);
    return from;
}

void ByteReader::damaged() {
    throw Error(ErrorKind::file_format,
                "The saved state is damaged, or belongs to other chains; go on from an earlier "
                "one.");
}

}  // namespace arcwise
