#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "sim/core/error.h"

namespace a3sim {

// A directory that is gone with the object.
class TemporaryDirectory {
 public:
  // Throws RunError where none can be made.
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "a3sim-results-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw RunError("cannot make a temporary directory: " + name);
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace a3sim
