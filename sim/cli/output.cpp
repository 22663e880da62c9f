#include "sim/cli/output.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/csv_tables.h"
#include "sim/cli/terminal.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"

namespace a3sim {

namespace {

// Refuses to overwrite a file that is not JSON, because `--json` may take a word that was meant otherwise.
void refuse_foreign(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  const int first = std::ifstream(file).get();
  if (first == '{' || first == '[' || first == std::ifstream::traits_type::eof()) return;
  throw InputError(file.string() + ": exists and is no JSON, so --json does not overwrite it");
}

// Refuses a word that was meant otherwise.
std::string no_csv_file(const std::string& file) {
  if (file.empty() || file.ends_with(".csv") || file.starts_with("/dev/")) return "";
  return fmt::format(
      "'{}', expected a file that ends in .csv, or none: then --csv comes last, or is followed by an option",
      file);
}

void write_or_print(const std::string& text, const std::string& file) {
  if (file.empty())
    std::cout << text;
  else
    write_file_atomically(file, text);
}

}  // namespace

nlohmann::ordered_json versioned(const nlohmann::ordered_json& json) {
  if (json.contains("schema_version")) return json;
  nlohmann::ordered_json with{{"schema_version", 1}};
  with.update(json);
  return with;
}

void JsonOption::add_to(CLI::App& app) {
  CLI::Option* const json = app.add_option_function<std::string>(
      "--json",
      [this](const std::string& value) {
        given = true;
        file = value;
      },
      "the result as JSON, into FILE or to standard output");
  json->expected(0, 1)->type_name("[FILE]");
  app.add_option_function<std::string>(
         "--csv",
         [this](const std::string& value) {
           csv = true;
           csv_file = value;
         },
         "its tables as comma-separated values, into FILE.csv or to standard output")
      ->expected(0, 1)
      ->type_name("[FILE.csv]")
      ->check(CLI::Validator(no_csv_file, ""))
      ->excludes(json);
}

void print_report(const Report& report, const JsonOption& option) {
  print_result(report.text(), report.json(), option);
}

void print_result(const std::string& text, const nlohmann::ordered_json& json, const JsonOption& option) {
  print_result(text, json, option.csv ? csv_of(json) : std::string(), option);
}

void print_result(const std::string& text, const nlohmann::ordered_json& json, const std::string& csv,
                  const JsonOption& option) {
  if (option.given) {
    if (!option.file.empty()) refuse_foreign(option.file);
    write_or_print(versioned(json).dump(2) + '\n', option.file);
  }
  if (option.csv) write_or_print(csv, option.csv_file);
  if (!option.replaces_text()) std::cout << page_text(text);
}

}  // namespace a3sim
