#include "sim/cli/output.h"

#include <iostream>

#include "sim/core/atomic_file.h"

namespace a3sim {

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

void print_result(const std::string& text, const nlohmann::ordered_json& json, const JsonOption& option) {
  if (!option.given) {
    std::cout << text;
    return;
  }
  const std::string dumped = json.dump(2) + '\n';
  if (option.file.empty()) {
    std::cout << dumped;
  } else {
    write_file_atomically(option.file, dumped);
    std::cout << text;
  }
}

}  // namespace a3sim
