#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/report/report.h"

namespace a3sim {

// The option `--json [FILE]`. Without a file, the JSON goes to stdout instead of the text.
struct JsonOption {
  bool given = false;
  std::string file;
  void add_to(CLI::App& app);
};

// Returns the object with schema_version as its first key, unless it has one already.
nlohmann::ordered_json versioned(const nlohmann::ordered_json& json);

// Prints the text, or writes the JSON if it was asked for: atomically into a file, directly into a device or
// pipe.
void print_report(const Report& report, const JsonOption& option);
void print_result(const std::string& text, const nlohmann::ordered_json& json, const JsonOption& option);

}  // namespace a3sim
