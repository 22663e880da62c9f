#include "sim/cli/result_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "sim/core/atomic_file.h"
#include "sim/core/checksum.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = ".a3sim";  // marks a directory as a result

fs::path beside(const fs::path& path, std::string_view suffix) {
  return path.parent_path() / fmt::format(".{}.{}.{}", path.filename().string(), ::getpid(), suffix);
}

// Returns a line of the manifest: the checksum of a file's bytes, then its name. The last line is the
// checksum of the lines above.
std::string line_of(std::string_view name, std::string_view contents) {
  return fmt::format("{} {}\n", checksum_text(checksum(contents)), name);
}

constexpr std::size_t kSumDigits = 8;

std::string_view name_in(std::string_view line) {
  const bool has_sum = line.size() > kSumDigits && line[kSumDigits] == ' ' &&
                       line.find_first_not_of("0123456789abcdef") == kSumDigits;
  return line.substr(has_sum ? kSumDigits + 1 : 0);  // earlier versions wrote the name alone
}

[[noreturn]] void throw_altered(const fs::path& file, std::string_view what) {
  throw InputError(fmt::format("{}: {}; run again what wrote this result", file.string(), what));
}

// Checks that all files of the manifest exist and have not changed.
void check_contents(const fs::path& path) {
  const fs::path manifest = path / kManifest;
  const std::string text = read_file(manifest);
  for (std::size_t begin = text.find('\n') + 1, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin), name = name_in(line);
    if (name.size() == line.size()) {
      throw_altered(manifest, line.empty() ? "was altered"
                                           : "has no checksums: written by an earlier a3sim, or altered");
    }
    const std::string_view above = std::string_view(text).substr(0, begin);
    const bool last = name == kManifest;
    const std::string contents = last ? std::string(above) : read_file(path / name);
    if (fmt::format("{}\n", line) != line_of(name, contents))
      throw_altered(path / name, "was altered: its checksum is that of other bytes");
    if (last && end + 1 == text.size()) return;
  }
  throw_altered(manifest, "ends early: it was cut off, or written by an earlier a3sim");
}

// Returns the target if the path is a link, so that the link remains.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  fs::path place = fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::absolute(path, error);
  if (error) throw RunError(fmt::format("{}: cannot be created: {}", path.string(), error.message()));
  return place.lexically_normal();
}

// Returns whether a result may be put at the path: nothing, an empty directory, or only an earlier result of
// the same kind is there.
bool may_replace(const fs::path& path, std::string_view kind) {
  std::error_code error;
  if (!fs::exists(path, error)) return true;
  if (!fs::is_directory(path, error)) return false;
  if (fs::exists(path / kManifest, error) && !fs::is_regular_file(path / kManifest, error)) return false;
  std::ifstream manifest(path / kManifest);
  std::set<std::string> ours{std::string(kManifest)};
  std::string line;
  const bool same_kind = std::getline(manifest, line) && line == kind;
  while (std::getline(manifest, line)) ours.emplace(name_in(line));
  if (!same_kind) return fs::is_empty(path, error) && !error;
  fs::recursive_directory_iterator entry(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    // A folder belongs to the result if all its files do.
    if (entry->symlink_status(error).type() != fs::file_type::directory &&
        !ours.contains(entry->path().lexically_relative(path).string()))
      return false;
  }
  return !error;
}

// Returns the command line that writes results of a kind, without -o.
std::string command_for(std::string_view kind) {
  if (kind == "monitor") return "run CONFIG --steps 60";
  if (kind == "compile") return "schedule compile CONFIG";
  return fmt::format("{} {}", kind, kind == "import" ? "PROFILE" : "CONFIG");
}

}  // namespace

std::string kind_of_result(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path / kManifest, error)) return "";
  std::ifstream manifest(path / kManifest);
  std::string line;
  return std::getline(manifest, line) ? line : "";
}

void refuse_file_names(const fs::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".csv" || ending == ".json")
    throw InputError(
        fmt::format("-o {0}: names a directory for the result, not a file; '--{1} {0}' writes that file",
                    path.string(), ending.substr(1)));
  if (ending != ".html" && ending != ".pftrace") return;
  throw InputError(fmt::format(
      "-o {0}: names a directory for the result, not a file; 'a3sim export CONFIG -o {0}' runs CONFIG "
      "and writes that file",
      path.string()));
}

void refuse_to_lose_tasks(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path / kManifest, error)) return;
  std::ifstream manifest(path / kManifest);
  for (std::string line; std::getline(manifest, line);) {
    if (!name_in(line).starts_with("tasks_")) continue;
    throw InputError(
        fmt::format("{}: holds a run with its tasks, which this one would replace without any: add --trace, "
                    "or name another directory",
                    path.string()));
  }
}

void check_result(const fs::path& path, std::string_view kind) {
  const std::string found = kind_of_result(path);
  if (found == kind) return check_contents(path);
  if (found == "monitor")
    throw InputError(
        fmt::format("{0}: is a job of many steps: 'a3sim advise {0}' says why it is slow, 'a3sim export --to "
                    "html {0} -o job.html' shows it",
                    path.string()));
  std::error_code error;
  const bool file = fs::is_regular_file(path, error);
  throw InputError(fmt::format("{}: is no result directory{}: 'a3sim {} -o {}' writes one", path.string(),
                               file ? " but a file" : "", command_for(kind), file ? "DIR" : path.string()));
}

ResultDirectory::ResultDirectory(const fs::path& path, std::string_view kind)
    : path_(place_of(path)), manifest_(fmt::format("{}\n", kind)) {
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
  manifest_ += line_of(name, contents);
}

void ResultDirectory::commit() {
  write_file_atomically(gathered_ / kManifest, manifest_ + line_of(kManifest, manifest_));
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
