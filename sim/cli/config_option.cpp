#include "sim/cli/config_option.h"

namespace a3sim {

void ConfigOption::add_to(CLI::App& app) {
  app.add_option("CONFIG", file, "experiment (YAML)")->required();
  app.add_option("--set", set, "override a value: path.to.key=value; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

}  // namespace a3sim
