#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/core/interrupts.h"

namespace a3sim {

// Writes a directory of results completely or not at all. Files are gathered beside it and renamed into
// place; an interruption (Ctrl-C) removes what was gathered. Replaces an earlier result of the same kind;
// refuses a directory with anything else in it.
class ResultDirectory {
 public:
  // `kind` says which command writes it. Throws InputError if `path` holds anything but an
  // earlier result of that kind, and RunError if nothing can be written beside it.
  ResultDirectory(const std::filesystem::path& path, std::string_view kind);
  ResultDirectory(const ResultDirectory&) = delete;
  ResultDirectory& operator=(const ResultDirectory&) = delete;
  ~ResultDirectory();  // removes files that were not committed

  // Adds a file. `name` may contain folders. Throws RunError if the file cannot be written.
  void add(std::string_view name, std::string_view contents);
  // Moves everything into place. Must be the last call.
  void commit();

 private:
  Interrupts interrupts_;  // must outlive the removal of files
  std::filesystem::path path_, gathered_;
  std::string manifest_;  // the kind, then the files with their checksums, a line each
};

// Returns the kind of the result in `path`, or an empty string if `path` is no result.
std::string kind_of_result(const std::filesystem::path& path);

// Throws InputError if `path` ends as a page or a table does: results are directories, of which 'a3sim export' makes pages.
void refuse_file_names(const std::filesystem::path& path);

// Throws InputError if `path` holds a run recorded with --trace, which a run without it would replace.
void refuse_to_lose_tasks(const std::filesystem::path& path);

// Throws InputError unless `path` is a result of this kind, and none of its files has changed.
void check_result(const std::filesystem::path& path, std::string_view kind);

}  // namespace a3sim
