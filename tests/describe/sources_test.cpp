#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/config/value.h"
#include "sim/core/error.h"
#include "sim/describe/document.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/published/fit/predictor.h"

using namespace a3sim;

namespace {

// True if a value was fitted to published points: by `a3sim calibrate`, or by hand, as its source then says.
bool is_fitted(const SourcedValue& value) {
  const auto notes = [&](const char* words) { return value.note.find(words) != std::string::npos; };
  return value.fitted || value.source.starts_with("fitted") || notes("was fitted") || notes("chosen by hand");
}

// True if its value is a number inside its range, which may be in other units.
bool lies_inside(const SourcedValue& value) {
  const double nominal = Parameter(value).nominal();
  return nominal >= 0 && nominal <= 1;
}

}  // namespace

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

TEST_CASE(
    "At most six values of a machine are fitted, and two of a program, each inside the range of its "
    "sources") {
  std::size_t found = 0;
  for (const auto& [folder, most] : {std::pair("hardware", 6), std::pair("programs", 2)}) {
    for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / folder)) {
      Diagnostics diagnostics;
      const Config root = Config::load(entry.path(), {}, diagnostics);
      int fitted = 0;
      for (const SourcedValue& value : root.sourced()) {
        if (!is_fitted(value) || std::filesystem::path(value.mark.file).filename() != entry.path().filename())
          continue;
        INFO(entry.path() << ": " << value.path);
        ++fitted;
        CHECK((!value.fitted || !value.low.empty()));
        CHECK((value.low.empty() || lies_inside(value)));
      }
      INFO(entry.path());
      CHECK(fitted <= most);
      found += static_cast<std::size_t>(fitted);
    }
  }
  CHECK(found >= 9);
}
