// Maps files; writing and reading, byte by byte.
#include "arcwise/support/archive.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include "arcwise/support/compiler.hpp"

#if ARCWISE_MAPS_FILES
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace arcwise {
namespace {

[[noreturn]] void refuse(const std::string& path) {
    throw Error(ErrorKind::file_format,
                "'" + path + "' cannot be read (" + std::strerror(errno) + "); check the path.");
}

[[noreturn]] void refuse_empty(const std::string& path) {
    throw Error(ErrorKind::file_format, "'" + path + "' is empty; write it again.");
}

}  // namespace

#if ARCWISE_MAPS_FILES

MappedFile::MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse(path);
    struct stat about{};
    if (::fstat(file, &about) != 0 || about.st_size <= 0) {
        ::close(file);
        refuse_empty(path);
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);  // the mapping stays
    if (memory == MAP_FAILED && errno == ENOMEM) {
        throw Error(ErrorKind::capacity, "'" + path + "' takes " + std::to_string(size >> 20) +
                                             " MiB, more than this process may map; allow it "
                                             "more memory.");
    }
    if (memory == MAP_FAILED) refuse(path);
    bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

#else

// A copy: on Windows, a mapped file could be neither replaced nor deleted.
MappedFile::MappedFile(const std::string& path) {
    std::ifstream file(file_name(path), std::ios::binary);
    if (!file) refuse(path);
    std::error_code problem;
    const std::uintmax_t size = std::filesystem::file_size(file_name(path), problem);
    if (problem || size == 0) refuse_empty(path);
    void* const memory =
        ::operator new(static_cast<std::size_t>(size), std::align_val_t{archive_alignment});
    bytes_ = {static_cast<const std::byte*>(memory), static_cast<std::size_t>(size)};
    if (!file.read(static_cast<char*>(memory), static_cast<std::streamsize>(size))) {
        ::operator delete(memory, std::align_val_t{archive_alignment});
        refuse(path);
    }
}

MappedFile::~MappedFile() {
    ::operator delete(const_cast<std::byte*>(bytes_.data()), std::align_val_t{archive_alignment});
}

#endif

ArchiveWriter::ArchiveWriter(const std::string& path)
    : path_(path), out_(file_name(path), std::ios::binary | std::ios::app) {
    std::error_code none;
    const auto size = std::filesystem::file_size(file_name(path), none);
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
