#pragma once

#include <filesystem>
#include <string_view>

namespace a3sim {

// Writes a file so that it holds all of `content` or what it held before, whatever happens: into a temporary
// file of the same folder, synchronised with the disk, then renamed. An existing file keeps its permissions,
// a symbolic link its target; a file that may not be written is refused. A target that is no regular file
// (/dev/stdout, a pipe) is simply written to.
// Throws RunError that names the path and the reason; the temporary file is gone then. A file-size limit is
// such a reason only where SIGXFSZ is ignored.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Makes a directory and those above it; one that is there already is fine. Throws RunError as above.
void make_directories(const std::filesystem::path& path);

}  // namespace a3sim
