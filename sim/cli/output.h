#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/report/report.h"

namespace a3sim {

// `--json [FILE]`: without a file the JSON goes to stdout instead of the text.
struct JsonOption {
  bool given = false;
  std::string file;
  void add_to(CLI::App& app);
};

// The object with its schema_version before all else, where it has none yet.
nlohmann::ordered_json versioned(const nlohmann::ordered_json& json);

// Prints the text, or writes the JSON where it was asked for: atomically into a file, straight into a device
// or pipe.
void print_report(const Report& report, const JsonOption& option);
void print_result(const std::string& text, const nlohmann::ordered_json& json, const JsonOption& option);

}  // namespace a3sim
