#include "sim/cli/result_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include "sim/core/atomic_file.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = "resolved.yaml";  // what makes a directory one of ours

fs::path beside(const fs::path& path, std::string_view suffix) {
  return path.parent_path() / fmt::format(".{}.{}.{}", path.filename().string(), ::getpid(), suffix);
}

}  // namespace

ResultDirectory::ResultDirectory(fs::path path) : path_(fs::absolute(path).lexically_normal()), gathered_() {
  if (path_.filename().empty()) path_ = path_.parent_path();
  std::error_code error;
  if (fs::exists(path_, error) && !fs::exists(path_ / kMarker, error) &&
      !(fs::is_directory(path_, error) && fs::is_empty(path_, error))) {
    throw InputError(
        fmt::format("{}: exists and is no result directory; name another or remove it", path.string()));
  }
  gathered_ = beside(path_, "part");
  fs::create_directories(gathered_, error);
  if (error) throw RunError(fmt::format("{}: cannot be created: {}", path.string(), error.message()));
}

ResultDirectory::~ResultDirectory() {
  std::error_code ignored;
  if (!gathered_.empty()) fs::remove_all(gathered_, ignored);
}

void ResultDirectory::add(std::string_view name, std::string_view contents) {
  write_file_atomically(gathered_ / name, contents);
}

void ResultDirectory::commit() {
  std::error_code error;
  const fs::path old = beside(path_, "old");
  const bool replaces = fs::exists(path_, error);
  if (replaces) fs::rename(path_, old, error);
  if (!error) fs::rename(gathered_, path_, error);
  if (error) {
    if (replaces) fs::rename(old, path_, error);
    throw RunError(fmt::format("{}: cannot be put in place", path_.string()));
  }
  gathered_.clear();
  if (replaces) fs::remove_all(old, error);
}

}  // namespace a3sim
