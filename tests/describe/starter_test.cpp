#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/describe/document.h"
#include "sim/describe/key_list.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/scratch_directory.h"

using namespace a3sim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("Each file to start from is taken at once, from wherever it stands", "[slow]") {
  const ScratchDirectory scratch;
  for (const auto& [kind, item] : Documents::all()) {
    // The one that is offered, and the first, which includes others where any does.
    const std::vector<fs::path> all = files_in(configs_folder() / item.object->folder);
    for (const fs::path& shipped_file : {all.front(), fs::path(std::string(item.object->usual) + ".yaml")}) {
      const std::string text = starter_file(kind, *item.object, shipped_file.stem().string(), "s.json");
      INFO(kind << " from " << shipped_file);
      CHECK_THAT(text, Catch::StartsWith("# yaml-language-server: $schema=s.json\n"));
      const fs::path file = scratch.add(shipped_file.filename().string(), text);
      CHECK_NOTHROW(item.object->accept(file));
    }
  }
}

namespace {

std::vector<std::string> values_in(const Config& root, const std::string& kind) {
  std::vector<std::string> values;
  for (const SourcedValue& value : root.map(kind).sourced())
    values.push_back(value.path + " " + value.value + " " + value.source + " " + value.note + value.low +
                     value.high);
  return values;
}

// Returns the file to start from, after a check that it has the shipped one's values, of which there are at least
// `least`.
std::string checked_starter(const std::string& kind, const std::string& name, std::size_t least) {
  const Document& document = Documents::get(kind);
  const std::string text = starter_file(kind, document, name, "s.json");
  Diagnostics diagnostics;
  const auto shipped_values =
      values_in(Config::load(configs_folder() / document.folder / (name + ".yaml"), {}, diagnostics), kind);
  CHECK(values_in(Config::parse(text, "mine.yaml", {}, diagnostics), kind) == shipped_values);
  CHECK(shipped_values.size() >= least);
  return text;
}

}  // namespace

TEST_CASE("A machine to start from has every value of the shipped one, with its source") {
  const std::string text = checked_starter("hardware", "a3", 50);
  CHECK_THAT(text, Contains("another machine, measure these first") &&
                       Contains("#   hardware.fabric.planes.hccs.egress"));
  CHECK_THAT(text, !Contains("#   program."));                  // those stand in a program's file
  CHECK_THAT(text, Contains("# Reads and writes take turns"));  // a comment of the file's own
}

TEST_CASE("A program to start from has every value of the shipped one, with its source") {
  const std::string text = checked_starter("program", "hyperparallel", 10);
  CHECK_THAT(text,
             Contains("another program, measure these first") && Contains("#   program.collective.fixed"));
  CHECK_THAT(text, !Contains("#   hardware."));
}

TEST_CASE("A file from what is not shipped names what is") {
  CHECK_THROWS_WITH(starter_file("order", Documents::get("order"), "ratrr", "s.json"),
                    Contains("no 'ratrr'") && Contains("did you mean 'ratr'?"));
}

namespace {

ExplainedKey explained(const std::string& key, const std::vector<std::string>& overrides = {}) {
  return explain_key("experiment", Documents::get("experiment"), key,
                     configs_folder() / "experiments" / "ep4.yaml", overrides);
}

}  // namespace

TEST_CASE(
    "A value of the hardware is explained by where it stands, its source, its range and the comment above") {
  const ExplainedKey key = explained("hardware.memory.hbm_write");
  CHECK(key.value == "0.85 TB/s");
  CHECK(key.low == "0.85 TB/s");
  CHECK(key.high == "1.1 TB/s");
  CHECK(key.fitted);
  CHECK_THAT(key.source, Contains("FlagGems #6324"));
  CHECK_THAT(key.comment, Contains("Reads and writes take turns"));
  CHECK(key.expected == "a rate such as '1.6 TB/s'");
  // The line that it names is the one that has it.
  std::istringstream file(read_file(configs_folder() / "hardware" / "a3.yaml"));
  const std::string place = key.origin.substr(key.origin.find("a3.yaml:") + std::string("a3.yaml:").size());
  std::string line;
  for (int i = 0; i < std::stoi(place); ++i) std::getline(file, line);
  CHECK_THAT(line, Contains("hbm_write: {value: 0.85 TB/s"));
}

TEST_CASE("A value that no file has is a default, one from the command line says so") {
  CHECK(explained("cut.partitions").origin == "default");
  CHECK(explained("cut.partitions").value == "1");
  const ExplainedKey set = explained("cut.partitions", {"cut.partitions=3"});
  CHECK(set.value == "3");
  CHECK_THAT(set.origin, Catch::StartsWith("--set:1:"));
  CHECK(explained("parallel.tp_stride").comment ==
        "dies between two ranks of the group: tensor parallelism over 2 dies");
}

TEST_CASE("A key that there is not names those that were probably meant") {
  CHECK_THROWS_WITH(explained("hbm_read"), Contains("did you mean 'hardware.memory.hbm_read'?"));
  CHECK_THROWS_WITH(explained("hardware.memory.hbm_raed"),
                    Contains("did you mean 'hardware.memory.hbm_read'?"));
  CHECK_THROWS_WITH(explained("cut.chunks"), Contains("did you mean 'cut.chunk'?"));
}
