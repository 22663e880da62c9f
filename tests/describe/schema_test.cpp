#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "sim/core/config/yaml_reader.h"
#include "sim/core/config/yaml_writer.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/core/rng.h"
#include "sim/describe/document.h"
#include "sim/describe/key_list.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "tests/describe/yaml_json.h"
#include "tests/scratch_directory.h"

using namespace a3sim;
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

std::unique_ptr<ConfigValue> tree_of(const std::string& text) {
  Diagnostics diagnostics;
  std::unique_ptr<ConfigValue> tree = read_yaml(text, Mark{"text", 1, 1}, diagnostics);
  diagnostics.throw_if_any();
  return tree;
}

// What the reader says of a file, as the program calls it; empty where it takes it.
std::string refusal_of_reader(const std::string& kind, const fs::path& file) {
  try {
    Documents::get(kind).accept(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void collect(ConfigValue& value, std::vector<ConfigValue*>& nodes) {
  nodes.push_back(&value);
  for (const auto& item : value.items) collect(*item, nodes);
  for (const ConfigValue::Entry& entry : value.entries) collect(*entry.value, nodes);
}

// Changes one node: its value, or the name of one of its keys.
void make_mistake(ConfigValue& root, Rng& rng) {
  std::vector<ConfigValue*> nodes;
  collect(root, nodes);
  ConfigValue& node = *nodes[1 + rng.below(static_cast<std::uint32_t>(nodes.size() - 1))];
  if (node.kind == ConfigValue::Kind::kMap && !node.entries.empty() && rng.below(2) == 0) {
    const std::string key = node.entries[rng.below(static_cast<std::uint32_t>(node.entries.size()))].key;
    std::unique_ptr<ConfigValue> value = node.take(key);
    std::string wrong = key;
    wrong[rng.below(static_cast<std::uint32_t>(wrong.size()))] = 'x';
    if (node.find(wrong) == nullptr) node.add(wrong + 'y', node.mark, std::move(value));
    return;
  }
  const char* const values[] = {"-1",         "0",         "1",    "2.5",    "1e30",       "nonsense", "true",
                                "12 parsecs", "1 us",      "7 GB", "3 TB/s", "{}",         "[]",       "[1]",
                                "{a: 1}",     "4 B/cycle", "1 Hz", "on",     "99999999999"};
  std::unique_ptr<ConfigValue> value = tree_of(values[rng.below(std::size(values))]);
  node.entries.clear();
  node.items.clear();
  if (value->kind == ConfigValue::Kind::kMap && !value->entries.empty()) {
    node.kind = ConfigValue::Kind::kScalar;
    node.text = "{a: 1}";
    return;
  }
  node.kind = value->kind;
  node.text = value->text;
  node.items = std::move(value->items);
}

// Where any configuration says something else of what is read.
std::vector<std::pair<fs::path, std::vector<std::string>>> contexts(const Document& document,
                                                                    const std::vector<ListedKey>& keys) {
  std::vector<std::pair<fs::path, std::vector<std::string>>> all;
  for (const fs::path& sample : document.sample_files()) all.emplace_back(sample, std::vector<std::string>{});
  const fs::path usual = configs_folder() / document.folder / (std::string(document.usual) + ".yaml");
  for (const ListedKey& key : keys) {
    for (const KeyForm& form : key.known->forms) {
      for (const std::string& name : form.names)
        if (key.path.find('*') == std::string::npos)
          all.emplace_back(usual, std::vector<std::string>{key.path + '=' + name});
    }
  }
  return all;
}

bool is_known(const Document& document, const fs::path& file, std::vector<std::string> overrides,
              const std::string& key) {
  overrides.push_back(key + "={}");
  Diagnostics diagnostics;
  const Config root = Config::load(file, overrides, diagnostics);
  try {
    document.read(root, diagnostics, file);
  } catch (const Error& error) {
    UNSCOPED_INFO(error.what());
  }
  root.finish();
  const std::string unknown = ": " + key + ": unknown key";
  for (const std::string& message : diagnostics.messages())
    if (message.find(unknown) != std::string::npos) return false;
  return true;
}

}  // namespace

TEST_CASE("Each key of a schema is one that its reader knows in some configuration", "[slow]") {
  for (const char* kind : {"experiment", "order", "faults", "sweep"}) {
    const Document& document = Documents::get(kind);
    const KeyTree& tree = known_keys(document);
    const std::vector<ListedKey> keys = listed_keys(tree);
    const auto all = contexts(document, keys);
    std::size_t looked_at = 0;
    for (const ListedKey& key : keys) {
      if (key.path.find('*') != std::string::npos || key.path == "include") continue;
      INFO(kind << ": " << key.path);
      CHECK(std::ranges::any_of(all, [&](const auto& context) {
        return is_known(document, context.first, context.second, key.path);
      }));
      ++looked_at;
    }
    CHECK(looked_at > 0);
  }
}

// The scripts and pages of the project were written by what the reader takes, not by a schema.
TEST_CASE("Each key that a page, a script or a help text sets is in the schema", "[slow]") {
  const KeyTree& tree = known_keys(Documents::get("experiment"));
  const std::vector<ListedKey> keys = listed_keys(tree);
  const std::regex set("--set '?([a-z0-9_]+[.][A-Za-z0-9_.]+)=");
  std::size_t found = 0;
  const fs::path root = A3SIM_SOURCE_DIR;
  std::vector<fs::path> files{root / "README.md", root / "configs/README.md"};
  for (const char* folder : {"sim", "bench", "models", "traces"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().filename() == "README.md" || entry.path().extension() == ".cpp" ||
          entry.path().extension() == ".txt")
        files.push_back(entry.path());
  }
  for (const fs::path& file : files) {
    if (file.string().find("node_modules") != std::string::npos) continue;
    const std::string text = read_file(file);
    for (std::sregex_iterator it(text.begin(), text.end(), set), end; it != end; ++it) {
      if (it->str(1) == "path.to.key") continue;
      INFO(file << ": " << it->str(1));
      // A mapping may be set as a whole.
      const bool mapping = std::ranges::any_of(
          keys, [&](const ListedKey& key) { return key.path.starts_with(it->str(1) + "."); });
      CHECK((mapping || find_key(keys, it->str(1)) != nullptr));
      ++found;
    }
  }
  CHECK(found > 25);
}

// Run by tests/describe/schemas_test alone, which holds schemas against these documents with a validator that is not
// ours and fails if there are none.
TEST_CASE("Documents, and what readers say of them, are written into the file that A3SIM_CASES names",
          "[.cases]") {
  const char* const cases_file = std::getenv("A3SIM_CASES");
  if (cases_file == nullptr) {
    WARN("A3SIM_CASES names no file; tests/describe/schemas_test does");
    return;
  }
  Json cases{{"schemas", Json::object()}, {"documents", Json::array()}};
  const auto add = [&cases](const std::string& kind, const std::string& origin, const std::string& text,
                            const std::string& refusal) {
    cases["schemas"].emplace(kind, json_schema(kind, Documents::get(kind)));
    cases["documents"].push_back({{"kind", kind},
                                  {"origin", origin},
                                  {"document", json_of_yaml(*tree_of(text))},
                                  {"refusal", refusal}});
  };
  for (const auto& [kind, item] : Documents::all()) {
    for (const fs::path& file : files_in(configs_folder() / item.object->folder))
      add(kind, file.string(), read_file(file), "");
  }
  for (const char* part : {"hardware", "programs", "models", "orders", "graphs", "presets"}) {
    for (const fs::path& file : files_in(configs_folder() / part))
      add("experiment", file.string(), read_file(file), "");
  }
  // A resolved configuration has every default that was read.
  for (const fs::path& file : files_in(configs_folder() / "experiments")) {
    if (file.stem() != "hf")  // needs a model
      add("experiment", file.string() + ", resolved", load_experiment(file, {}).resolved, "");
  }
  const ScratchDirectory scratch;
  // Mistakes stand beside the folder's own files, so that includes are found.
  fs::copy(configs_folder(), scratch.path(), fs::copy_options::recursive | fs::copy_options::skip_existing);
  Rng rng(1, 1);
  for (const char* kind :
       {"experiment", "hardware", "program", "order", "sweep", "faults", "advice", "published"}) {
    const fs::path folder = Documents::get(kind).folder;
    const std::vector<fs::path> files = files_in(configs_folder() / folder);
    for (int i = 0; i < 100; ++i) {
      const fs::path& file = files[rng.below(static_cast<std::uint32_t>(files.size()))];
      if (file.stem() == "hf") continue;
      const std::unique_ptr<ConfigValue> tree = tree_of(read_file(file));
      make_mistake(*tree, rng);
      const std::string text = write_yaml(*tree);
      const fs::path changed = scratch.path() / folder / file.filename();
      std::ofstream(changed) << text;
      add(kind, file.string() + ", changed:\n" + text, text, refusal_of_reader(kind, changed));
      fs::copy_file(file, changed, fs::copy_options::overwrite_existing);
    }
  }
  std::ofstream(cases_file) << cases;
}
