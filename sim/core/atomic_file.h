#pragma once

#include <filesystem>
#include <string_view>

namespace a3sim {

// Writes a file atomically: afterwards it holds all of `content`, or, on any failure, what it held before.
// Writes a temporary file in the same folder, syncs it, and renames it. An existing file keeps its
// permissions, a symbolic link its target; a read-only file is refused. A target that is not a regular file
// (/dev/stdout, a pipe) is written directly. Throws RunError with the path and the reason, and removes the
// temporary file. A file-size limit is reported this way only if SIGXFSZ is ignored.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Creates a directory and its parents unless they exist. Throws RunError as above.
void make_directories(const std::filesystem::path& path);

}  // namespace a3sim
