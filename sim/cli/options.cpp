#include "sim/cli/options.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/core/open_file.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Returns what a shipped name of another kind is and which command takes it, as the end of a sentence; empty if
// nothing has the name.
std::string other_kind(const fs::path& configs, const std::string& name, const std::string& folder) {
  struct Kind {
    const char *folder, *what, *command;
  };
  constexpr std::array<Kind, 4> kKinds{{{"experiments", "an experiment", "run"},
                                        {"orders", "an order", "try"},
                                        {"published", "a published table", "reproduce"},
                                        {"sweeps", "a sweep", "sweep"}}};
  for (const Kind& kind : kKinds) {
    if (folder != kind.folder && is_file(configs / kind.folder / (name + ".yaml")))
      return fmt::format("; {} is {}: 'a3sim {} {}'", name, kind.what, kind.command, name);
  }
  return "";
}

}  // namespace

std::string file_or_shipped(const std::string& given, const std::string& folder) {
  const fs::path path = given;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (given.empty() || path.is_absolute()) return given;
  if (fs::exists(status) && !fs::is_directory(status)) return given;
  if (error && status.type() != fs::file_type::not_found)
    throw InputError(fmt::format("{}: cannot be read: {}", given, why_missing(path)));
  const fs::path configs = configs_folder();
  if (!path.has_parent_path()) {
    for (const std::string& name : {given, given + ".yaml"})
      if (const fs::path shipped = configs / folder / name; is_file(shipped)) return shipped.string();
    if (!path.has_extension() && !fs::is_directory(status))
      throw InputError(fmt::format("{}: no such file, and none of this name is shipped{}; there are: {}",
                                   given, other_kind(configs, given, folder),
                                   fmt::join(names_in(configs / folder), ", ")));
  }
  if (*path.begin() == "configs") {
    const fs::path shipped = configs / path.lexically_relative("configs");
    if (is_file(shipped)) return shipped.string();
  }
  return given;
}

void take_shipped_too(CLI::Option* option, const std::string& folder) {
  option->transform([folder](const std::string& given) { return file_or_shipped(given, folder); });
}

void add_names(CLI::App& app, std::vector<std::string>& names) {
  repeatable(app.add_option("--name", names,
                            "with a profile: a kernel's name in it, and the operator's; repeatable"),
             "THEIRS=OURS");
}

std::map<std::string, std::string, std::less<>> name_map(const std::vector<std::string>& names) {
  std::map<std::string, std::string, std::less<>> map;
  for (const std::string& text : names) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw InputError(fmt::format("--name: '{}', expected THEIRS=OURS", text));
    map[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return map;
}

}  // namespace a3sim
