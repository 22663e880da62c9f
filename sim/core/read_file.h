#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace a3sim {

// So much of a file is read at most.
inline constexpr std::size_t kMostOfFile = std::size_t{4} << 30;

// All of a file, or of a pipe to its end. Throws InputError that names it when it cannot be read, is a folder
// or a disk, is larger than `most` bytes, or is a pipe that nobody has open for writing.
std::string read_file(const std::filesystem::path& path, std::size_t most = kMostOfFile);

// The same, where the caller says what is wrong.
struct FileText {
  std::string text;
  std::string error;  // "it is a directory"; empty: the text is good
};
FileText try_read_file(const std::filesystem::path& path, std::size_t most);

}  // namespace a3sim
