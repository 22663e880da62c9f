#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/report/report.h"

namespace a3sim {

// The options `--json [FILE]` and `--csv [FILE]` of every command that prints tables. Without a file, the JSON or the tables go
// to stdout instead of the text.
struct JsonOption {
  bool given = false;
  std::string file;
  bool csv = false;
  std::string csv_file;
  void add_to(CLI::App& app);
  // Returns whether stdout is for a program.
  bool replaces_text() const { return (given && file.empty()) || (csv && csv_file.empty()); }
};

// Returns the object with schema_version as its first key, unless it has one already.
nlohmann::ordered_json versioned(const nlohmann::ordered_json& json);

// Prints the text, or writes the JSON or its tables (csv_tables.h) if they were asked for: atomically into a file, directly
// into a device or pipe.
void print_report(const Report& report, const JsonOption& option);
void print_result(const std::string& text, const nlohmann::ordered_json& json, const JsonOption& option);
// Does the same with tables of its own.
void print_result(const std::string& text, const nlohmann::ordered_json& json, const std::string& csv,
                  const JsonOption& option);

}  // namespace a3sim
