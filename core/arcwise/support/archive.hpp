// Numbers and arrays one after the other in a file, and the same read from a mapped file, where
// arrays stay as they lie.
//
// A class says once what it consists of, in a function that takes either: `describe(self, archive)`
// calls archive.number(x) and archive.array(x) for its members, and a writer or a reader does what
// it does. Numbers take eight bytes. Arrays begin at multiples of 64 bytes from the beginning of
// the file, after their length. Both are as the processor has them; the header of the file, which
// is for the caller to write and check, says for which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arcwise/support/error.hpp"

namespace arcwise {

// Numbers that are only read: owned, or lying in memory that something else keeps, such as a file
// that is mapped and shared by all processes of a machine.
//
// Copies share the numbers. What reads them cannot tell the two apart.
template <class T>
class Stored {
  public:
    Stored() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): made as a vector, kept as this.
    Stored(std::vector<T> numbers) {
        const auto owned = std::make_shared<const std::vector<T>>(std::move(numbers));
        numbers_ = *owned;
        keeper_ = owned;
    }

    // Refers to memory that lasts as long as its keeper.
    Stored(std::span<const T> numbers, std::shared_ptr<const void> keeper)
        : numbers_(numbers), keeper_(std::move(keeper)) {}

    const T* data() const { return numbers_.data(); }
    std::size_t size() const { return numbers_.size(); }
    bool empty() const { return numbers_.empty(); }
    const T& operator[](std::size_t at) const { return numbers_[at]; }
    const T* begin() const { return numbers_.data(); }
    const T* end() const { return numbers_.data() + numbers_.size(); }

  private:
    std::span<const T> numbers_;
    std::shared_ptr<const void> keeper_;
};

// A file as read-only memory, of which all processes of a machine share one copy where files can be
// mapped (on Windows each has its own).
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

constexpr std::size_t archive_alignment = 64;

// Appends to a file.
class ArchiveWriter {
  public:
    explicit ArchiveWriter(const std::string& path);

    template <class T>
    void number(const T& value) {
        static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        write(&word, sizeof word);
    }

    template <class Numbers>
    void array(const Numbers& numbers) {
        using T = std::remove_cvref_t<decltype(*numbers.data())>;
        static_assert(std::is_trivially_copyable_v<T>);
        number(static_cast<std::uint64_t>(numbers.size()));
        align();
        write(numbers.data(), numbers.size() * sizeof(T));
    }

    // Things that write themselves: one that may be absent, and several.
    template <class T>
    void optional(const std::optional<T>& thing) {
        number(thing.has_value());
        if (thing) thing->write(*this);
    }
    template <class T>
    void list(const std::vector<T>& things) {
        number(static_cast<std::uint64_t>(things.size()));
        for (const T& thing : things) thing.write(*this);
    }

    // Throws `file_format` unless everything has reached the file.
    void finish();

  private:
    void write(const void* bytes, std::size_t count);
    void align();

    std::string path_;
    std::ofstream out_;
    std::size_t at_ = 0;
};

// Reads what a writer appended after the first `start` bytes; lengths that go beyond the end of the
// file are refused with `file_format`.
class ArchiveReader {
  public:
    ArchiveReader(const std::string& path, std::size_t start);

    template <class T>
    void number(T& value) {
        const std::byte* from = take(sizeof(std::uint64_t));
        // Any other byte in a bool would be undefined.
        if constexpr (std::is_same_v<T, bool>) expect(*from <= std::byte{1});
        std::memcpy(&value, from, sizeof value);
    }

    template <class T>
    void array(Stored<T>& numbers) {
        numbers = Stored<T>(view<T>(), file_);
    }
    // A copy, for what is small.
    template <class T>
    void array(std::vector<T>& numbers) {
        const std::span<const T> from = view<T>();
        numbers.assign(from.begin(), from.end());
    }

    // Things that are made from a reader.
    template <class T>
    void optional(std::optional<T>& thing) {
        bool there = false;
        number(there);
        if (there) thing.emplace(*this);
    }
    template <class T>
    void list(std::vector<T>& things) {
        const std::size_t wanted = count();
        things.reserve(wanted);
        while (things.size() < wanted) things.emplace_back(*this);
    }

    // Throws `file_format` unless everything has been read.
    void finish() const;

    // Throws `file_format` unless this holds of what has been read.
    void expect(bool sound) const {
        if (!sound) refuse();
    }

  private:
    template <class T>
    std::span<const T> view() {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= archive_alignment);
        std::uint64_t size = 0;
        number(size);
        at_ = (at_ + archive_alignment - 1) / archive_alignment * archive_alignment;
        if (at_ > file_->bytes().size() || size > (file_->bytes().size() - at_) / sizeof(T)) {
            refuse();
        }
        return {reinterpret_cast<const T*>(take(size * sizeof(T))), size};
    }
    // How many things follow, each of at least eight bytes.
    std::size_t count();
    const std::byte* take(std::size_t count);
    [[noreturn]] void refuse() const;

    std::string path_;
    std::shared_ptr<const MappedFile> file_;
    std::size_t at_;
};

}  // namespace arcwise
