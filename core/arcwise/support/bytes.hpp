// Numbers as bytes that mean the same on every machine, sealed by a checksum.
//
// Whole numbers are written lowest byte first, floating-point ones as their IEEE 754 bits. What is
// read back was written by the same version of the same class, or is refused.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace arcwise {

class ByteWriter {
  public:
    template <std::unsigned_integral T>
    void put(T number) {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes_.push_back(static_cast<unsigned char>(std::uint64_t{number} >> (8 * i)));
        }
    }
    void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }

    template <class T>
    void put(const std::vector<T>& numbers) {
        put(std::uint64_t{numbers.size()});
        for (const T& number : numbers) put(number);
    }

    // All that was written, behind a name and a version and before a checksum.
    std::vector<unsigned char> sealed(std::string_view name, std::uint32_t version) const;

  private:
    std::vector<unsigned char> bytes_;
};

// Throws `file_format` where the bytes are not what is asked for.
class ByteReader {
  public:
    // Bytes that `sealed` returned under the same name and version; they must outlive the reader.
    ByteReader(std::span<const unsigned char> sealed, std::string_view name, std::uint32_t version);

    template <std::unsigned_integral T>
    T get() {
        std::uint64_t number = 0;
        const unsigned char* from = take(sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i) number |= std::uint64_t{from[i]} << (8 * i);
        return static_cast<T>(number);
    }
    template <std::same_as<double> T>
    T get() {
        return std::bit_cast<double>(get<std::uint64_t>());
    }

    template <class T>
    std::vector<T> get_vector() {
        const auto count = get<std::uint64_t>();
        if (count > left_.size() / sizeof(T)) damaged();
        std::vector<T> numbers(static_cast<std::size_t>(count));
        for (T& number : numbers) number = get<T>();
        return numbers;
    }
    // As many numbers as were there when these were written.
    template <class T>
    void get_into(std::vector<T>& numbers) {
        std::vector<T> read = get_vector<T>();
        if (read.size() != numbers.size()) damaged();
        numbers = std::move(read);
    }

    // Refuses bytes that are left over.
    void finish() const {
        if (!left_.empty()) damaged();
    }
    [[noreturn]] static void damaged();

  private:
    const unsigned char* take(std::size_t count);

    std::span<const unsigned char> left_;
};

}  // namespace arcwise
