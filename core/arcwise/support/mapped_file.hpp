// A file as read-only memory, of which all processes of a machine share one copy.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace arcwise {

class MappedFile {
  public:
    // Throws `file_format` if it cannot be read.
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
};

}  // namespace arcwise
