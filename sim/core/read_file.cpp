#include "sim/core/read_file.h"

#include <fstream>
#include <sstream>

#include "sim/core/error.h"

namespace a3sim {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  // An empty file is a failure of `text` alone.
  if (stream) text << stream.rdbuf();
  if (!stream || std::filesystem::is_directory(path)) throw InputError(path.string() + ": cannot be read");
  return std::move(text).str();
}

}  // namespace a3sim
