#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace a3sim {

// A directory of results that appears whole or not at all: files are gathered beside it and renamed into
// place. An earlier result directory of this program is replaced; anything else that has the name is refused.
class ResultDirectory {
 public:
  // Throws InputError if `path` exists and is no result directory, RunError if nothing can be written beside
  // it.
  explicit ResultDirectory(std::filesystem::path path);
  ResultDirectory(const ResultDirectory&) = delete;
  ResultDirectory& operator=(const ResultDirectory&) = delete;
  ~ResultDirectory();  // takes back what was not committed

  // Throws RunError if the file cannot be written.
  void add(std::string_view name, std::string_view contents);
  // Puts everything in place. The last call.
  void commit();

 private:
  std::filesystem::path path_, gathered_;
};

}  // namespace a3sim
