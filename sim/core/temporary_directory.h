#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "sim/core/error.h"

namespace a3sim {

// A temporary directory, removed with the object.
class TemporaryDirectory {
 public:
  // `purpose` is a part of its name. Throws RunError if it cannot be made.
  explicit TemporaryDirectory(const std::string& purpose) {
    std::string name = (std::filesystem::temp_directory_path() / ("a3sim-" + purpose + "-XXXXXX")).string();
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
