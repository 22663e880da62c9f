#include "sim/cli/result_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "sim/core/atomic_file.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = ".a3sim";  // what makes a directory one of ours

fs::path beside(const fs::path& path, std::string_view suffix) {
  return path.parent_path() / fmt::format(".{}.{}.{}", path.filename().string(), ::getpid(), suffix);
}

// Whether a path is free: nothing there, an empty directory, or nothing but an earlier result of the kind.
bool may_replace(const fs::path& path, std::string_view kind) {
  std::error_code error;
  if (!fs::exists(path, error)) return true;
  if (!fs::is_directory(path, error)) return false;
  std::ifstream manifest(path / kManifest);
  std::set<std::string> ours{std::string(kManifest)};
  std::string line;
  const bool same_kind = std::getline(manifest, line) && line == kind;
  while (std::getline(manifest, line)) ours.insert(line);
  if (!same_kind) return fs::is_empty(path, error) && !error;
  fs::recursive_directory_iterator entry(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    // A folder is as ours as what is in it.
    if (entry->symlink_status(error).type() != fs::file_type::directory &&
        !ours.contains(entry->path().lexically_relative(path).string()))
      return false;
  }
  return !error;
}

}  // namespace

std::string kind_of_result(const fs::path& path) {
  std::ifstream manifest(path / kManifest);
  std::string line;
  return std::getline(manifest, line) ? line : "";
}

void check_result(const fs::path& path, std::string_view kind) {
  if (kind_of_result(path) == kind) return;
  throw InputError(fmt::format("{}: is no result directory: 'a3sim {} {} -o {}' writes one", path.string(),
                               kind, kind == "import" ? "PROFILE" : "CONFIG", path.string()));
}

ResultDirectory::ResultDirectory(const fs::path& path, std::string_view kind)
    : path_(fs::absolute(path).lexically_normal()), manifest_(fmt::format("{}\n", kind)) {
  if (path_.filename().empty()) path_ = path_.parent_path();
  if (!may_replace(path_, kind)) {
    throw InputError(
        fmt::format("{}: exists and holds something else than an earlier result of '{}'; name another "
                    "directory or remove it",
                    path.string(), kind));
  }
  gathered_ = beside(path_, "part");
  std::error_code error;
  fs::create_directories(gathered_, error);
  if (error) throw RunError(fmt::format("{}: cannot be created: {}", path.string(), error.message()));
}

ResultDirectory::~ResultDirectory() {
  std::error_code ignored;
  if (!gathered_.empty()) fs::remove_all(gathered_, ignored);
}

void ResultDirectory::add(std::string_view name, std::string_view contents) {
  const fs::path path(name), folder = path.parent_path();
  if (!folder.empty()) make_directories(gathered_ / folder);
  write_file_atomically(gathered_ / path, contents);
  manifest_ += fmt::format("{}\n", name);
}

void ResultDirectory::commit() {
  write_file_atomically(gathered_ / kManifest, manifest_);
  std::error_code error;
  const fs::path old = beside(path_, "old");
  const bool replaces = fs::exists(path_, error);
  if (replaces) fs::rename(path_, old, error);
  if (!error) fs::rename(gathered_, path_, error);
  if (error) {
    const std::string why = error.message();
    if (replaces) fs::rename(old, path_, error);
    throw RunError(fmt::format("{}: cannot be put in place: {}", path_.string(), why));
  }
  gathered_.clear();
  if (replaces) fs::remove_all(old, error);
}

}  // namespace a3sim
