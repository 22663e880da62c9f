#include "sim/cli/output.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/core/terminal_text.h"

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

}  // namespace

nlohmann::ordered_json versioned(const nlohmann::ordered_json& json) {
  if (json.contains("schema_version")) return json;
  nlohmann::ordered_json with{{"schema_version", 1}};
  with.update(json);
  return with;
}

void JsonOption::add_to(CLI::App& app) {
  app.add_option_function<std::string>(
         "--json",
         [this](const std::string& value) {
           given = true;
           file = value;
         },
         "the result as JSON, into FILE or to standard output")
      ->expected(0, 1)
      ->type_name("[FILE]");
}

void print_report(const Report& report, const JsonOption& option) {
  print_result(report.text(), report.json(), option);
}

void print_result(const std::string& text, const nlohmann::ordered_json& json, const JsonOption& option) {
  if (!option.given) {
    std::cout << terminal_text(text);
    return;
  }
  const std::string dumped = versioned(json).dump(2) + '\n';
  if (option.file.empty()) {
    std::cout << dumped;
  } else {
    refuse_foreign(option.file);
    write_file_atomically(option.file, dumped);
    std::cout << terminal_text(text);
  }
}

}  // namespace a3sim
