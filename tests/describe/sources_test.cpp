#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/config/value.h"
#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/describe/document.h"

using namespace a3sim;

// Users' files may do without.
TEST_CASE(
    "Every value of a shipped file that has sources has one: machines, programs, thresholds of advice") {
  std::size_t values = 0;
  for (const auto& [kind, item] : Documents::all()) {
    for (const std::filesystem::path& file : item.object->sample_files()) {
      Diagnostics diagnostics;
      const Config root = Config::load(file, {}, diagnostics);
      try {
        item.object->read(root, diagnostics, file);
      } catch (const Error& error) {
        UNSCOPED_INFO(error.what());  // what was read before is looked at
      }
      for (const SourcedValue& value : root.sourced()) {
        INFO(kind << ", " << file << ": " << value.path);
        CHECK((!value.source.empty() && value.source != kNotStated));
        ++values;
      }
    }
  }
  CHECK(values > 500);
}
