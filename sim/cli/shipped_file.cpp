#include "sim/cli/shipped_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<std::string> shipped_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string file_or_shipped(const std::string& given, const std::string& folder) {
  const fs::path path = given;
  std::error_code error;
  if (given.empty() || fs::exists(path, error) || path.is_absolute()) return given;
  const fs::path configs = configs_folder();
  if (!path.has_parent_path()) {
    for (const std::string& name : {given, given + ".yaml"})
      if (const fs::path shipped = configs / folder / name; is_file(shipped)) return shipped.string();
    if (!path.has_extension())
      throw InputError(fmt::format("{}: no such file, and none of this name is shipped; there are: {}", given,
                                   fmt::join(shipped_names(configs / folder), ", ")));
  }
  if (*path.begin() == "configs") {
    const fs::path shipped = configs / path.lexically_relative("configs");
    if (is_file(shipped)) return shipped.string();
  }
  return given;
}

}  // namespace

void take_shipped_too(CLI::Option* option, const std::string& folder) {
  option->transform([folder](const std::string& given) { return file_or_shipped(given, folder); });
}

}  // namespace a3sim
