#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace a3sim {

// The default limit of a file's size.
inline constexpr std::size_t kMostOfFile = std::size_t{4} << 30;

// Returns the contents of a file, or of a pipe up to its end. Throws InputError with its name if it cannot be
// read, is a folder or a disk, is larger than `most` bytes, or is a pipe without a writer.
std::string read_file(const std::filesystem::path& path, std::size_t most = kMostOfFile);

// Like read_file(), but returns errors for the caller to report.
struct FileText {
  std::string text;
  std::string error;  // "it is a directory"; empty: no error
};
FileText try_read_file(const std::filesystem::path& path, std::size_t most);

}  // namespace a3sim
