// Names of files, which come in UTF-8, as the platform takes them.
#pragma once

#include <filesystem>
#include <string>

namespace arcwise {

// On Windows a plain string would be read in the code page of the machine.
inline std::filesystem::path file_name(const std::string& name) {
    return std::u8string(name.begin(), name.end());
}

}  // namespace arcwise
