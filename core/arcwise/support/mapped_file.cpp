// Maps a file.
#include "arcwise/support/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

[[noreturn]] void refuse(const std::string& path) {
    throw Error(ErrorKind::file_format,
                "'" + path + "' cannot be read (" + std::strerror(errno) + "); check the path.");
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse(path);
    struct stat about{};
    if (::fstat(file, &about) != 0 || about.st_size <= 0) {
        ::close(file);
        throw Error(ErrorKind::file_format, "'" + path + "' is empty; write it again.");
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);  // the mapping stays
    if (memory == MAP_FAILED) refuse(path);
    bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

}  // namespace arcwise
