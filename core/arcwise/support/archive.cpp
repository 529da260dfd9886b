// Writing and reading, byte by byte.
#include "arcwise/support/archive.hpp"

#include <array>
#include <filesystem>

namespace arcwise {

ArchiveWriter::ArchiveWriter(const std::string& path)
    : path_(path), out_(path, std::ios::binary | std::ios::app) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    at_ = none ? 0 : static_cast<std::size_t>(size);
}

void ArchiveWriter::write(const void* bytes, std::size_t count) {
    out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    at_ += count;
}

void ArchiveWriter::align() {
    constexpr std::array<char, archive_alignment> zeros{};
    const std::size_t beyond = at_ % archive_alignment;
    if (beyond > 0) write(zeros.data(), archive_alignment - beyond);
}

void ArchiveWriter::finish() {
    out_.flush();
    if (!out_) {
        throw Error(ErrorKind::file_format,
                    "'" + path_ + "' could not be written; check that the disk has room.");
    }
}

ArchiveReader::ArchiveReader(const std::string& path, std::size_t start)
    : path_(path), file_(std::make_shared<const MappedFile>(path)), at_(start) {}

const std::byte* ArchiveReader::take(std::size_t count) {
    if (at_ > file_->bytes().size() || count > file_->bytes().size() - at_) refuse();
    const std::byte* here = file_->bytes().data() + at_;
    at_ += count;
    return here;
}

std::size_t ArchiveReader::count() {
    std::uint64_t things = 0;
    number(things);
    if (things > (file_->bytes().size() - at_) / sizeof things) refuse();
    return things;
}

void ArchiveReader::finish() const {
    if (at_ != file_->bytes().size()) refuse();
}

void ArchiveReader::refuse() const {
    throw Error(ErrorKind::file_format, "'" + path_ + "' is damaged; write it again.");
}

}  // namespace arcwise
