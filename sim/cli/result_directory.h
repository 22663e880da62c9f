#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/core/interrupts.h"

namespace a3sim {

// A directory of results that appears whole or not at all: files are gathered beside it and renamed into
// place; Ctrl-C and its like take back what was gathered. An earlier result of the same kind is replaced; a directory
// with anything else in it is refused.
class ResultDirectory {
 public:
  // `kind` says which command writes it. Throws InputError if `path` holds anything but an earlier result of
  // that kind, RunError if nothing can be written beside it.
  ResultDirectory(const std::filesystem::path& path, std::string_view kind);
  ResultDirectory(const ResultDirectory&) = delete;
  ResultDirectory& operator=(const ResultDirectory&) = delete;
  ~ResultDirectory();  // takes back what was not committed

  // The name may have folders. Throws RunError if the file cannot be written.
  void add(std::string_view name, std::string_view contents);
  // Puts everything in place. The last call.
  void commit();

 private:
  Interrupts interrupts_;  // outlives what is taken back
  std::filesystem::path path_, gathered_;
  std::string manifest_;  // the kind, then the files with their checksums, a line each
};

// Which command wrote the result in `path`; nothing for what is none.
std::string kind_of_result(const std::filesystem::path& path);

// Throws InputError if `path` is a run with its tasks, which a run without --trace would replace.
void refuse_to_lose_tasks(const std::filesystem::path& path);

// Throws InputError unless `path` is a result that the command `kind` wrote, and every file of it is as it was
// written.
void check_result(const std::filesystem::path& path, std::string_view kind);

}  // namespace a3sim
