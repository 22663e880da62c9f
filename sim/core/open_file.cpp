#include "sim/core/open_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "sim/core/error.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw InputError(fmt::format("{}: cannot be read: {}", path.string(), why));
}

}  // namespace

std::ifstream open_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse(path, why_missing(path));
  if (fs::is_directory(status)) refuse(path, "it is a directory");
  if (!fs::is_regular_file(status)) refuse(path, "it is a pipe or a device, expected a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, std::strerror(errno));
  return file;
}

std::string why_missing(const fs::path& path) {
  std::error_code error;
  static_cast<void>(fs::status(path, error));
  if (!error || error == std::errc::no_such_file_or_directory) return "there is no such file";
  return error.message();
}

}  // namespace a3sim
