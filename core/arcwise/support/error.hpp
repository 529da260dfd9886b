// The one error type of the core: a kind, and a sentence a user can act on.
#pragma once

#include <stdexcept>
#include <string>

namespace arcwise {

enum class ErrorKind { argument, data, file_format, numerical, capacity, interrupted };

class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& sentence)
        : std::runtime_error(sentence), kind_(kind) {}

    ErrorKind kind() const noexcept { return kind_; }

  private:
    ErrorKind kind_;
};

}  // namespace arcwise
