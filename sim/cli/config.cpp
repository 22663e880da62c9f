#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/describe/key_list.h"
#include "sim/describe/key_sentences.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

struct ConfigOptions : OverrideOptions {
  std::string kind = "experiment", key, file;
  JsonOption json;
};

// Prints the keys one after another, with what they mean if `meanings`.
void list_keys(std::span<const ListedKey> keys, const ConfigOptions& options, std::string lines,
               bool meanings) {
  Report report;
  Table& table = report.table(
      "keys",
      {Column::words("key"), Column::words("default"), Column::words("takes"), Column::words("means")},
      Audience::kPrograms);
  for (const ListedKey& key : keys) {
    const std::string means(meaning_of(options.kind, key.path));
    table.add({key.path, key.fallback(), key.expected(), means});
    lines += fmt::format("{:<42} {:<18} {}\n", key.path, key.fallback(), key.expected());
    if (meanings && !means.empty()) lines += fmt::format("    {}\n", means);
  }
  report.say(lines);
  print_report(report, options.json);
}

void list_keys(std::span<const ListedKey> keys, const ConfigOptions& options, bool meanings) {
  list_keys(keys, options, "key, what holds without it, what it takes\n\n", meanings);
}

// Prints a block with all keys below it.
void list_block(const std::string& block, std::span<const ListedKey> known, const ConfigOptions& options) {
  std::vector<ListedKey> keys;
  for (const ListedKey& key : known)
    if (key.path.starts_with(block + '.')) keys.push_back(key);
  const std::string_view meaning = meaning_of(options.kind, block);
  list_keys(keys, options, fmt::format("{}{}{}\n\n", block, meaning.empty() ? "" : ": ", meaning), true);
}

// Returns the block that a word names: by its path, or by its last words if no other ends so. Empty if there is none.
std::string block_named(const KeyTree& tree, const std::string& word) {
  std::vector<std::string> ending;
  for (const std::string& block : listed_blocks(tree)) {
    if (block == word) return block;
    if (block.ends_with('.' + word)) ending.push_back(block);
  }
  return ending.size() == 1 ? ending.front() : "";
}

Report explained_report(const ExplainedKey& key) {
  Report report;
  std::string text = fmt::format("{} = {}\n", key.path, key.value.value_or("(none here)"));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<9} {}\n", name, value);
    report.fact(name, value.empty() ? Cell() : Cell(value));
  };
  report.fact("key", key.path);
  report.fact("value", key.value ? Cell(*key.value) : Cell());
  add("means", key.meaning);
  add("origin", key.origin);
  add("source", key.source);
  const std::string fitted = key.fitted ? ", fitted in it by 'a3sim calibrate'" : "";
  add("range", key.low.empty() ? "" : fmt::format("{} to {}{}", key.low, key.high, fitted));
  add("note", key.note);
  add("comment", key.comment);
  add("takes", key.expected);
  add("default", key.fallback);
  report.say(text);
  return report;
}

// Returns the file that CONFIG names, or else the template of new files of this kind.
std::filesystem::path file_of(const ConfigOptions& options, const Document& document) {
  if (!options.file.empty()) return options.file;
  return configs_folder() / document.folder / fmt::format("{}.yaml", document.usual);
}

void run(const ConfigOptions& options) {
  const Document& document = Documents::get(options.kind);
  const std::vector<ListedKey> known = listed_keys(known_keys(document));
  if (options.key.empty()) return list_keys(known, options, false);
  const std::filesystem::path file = file_of(options, document);
  std::vector<ListedKey> meant = keys_ending_in(known, options.key);
  const auto of_any_name = [](const ListedKey& key) { return key.path.find('*') != std::string::npos; };
  if (std::ranges::count_if(meant, of_any_name) + 1 ==
      std::ssize(meant))  // what passes or operators have otherwise
    std::erase_if(meant, of_any_name);
  const bool whole = find_key(known, options.key) != nullptr;
  if (const std::string block = block_named(known_keys(document), options.key); !whole && !block.empty())
    return list_block(block, known, options);
  if (!whole && meant.size() > 1) return list_keys(meant, options, true);
  const std::string key = whole || meant.empty() ? options.key : meant.front().path;
  print_report(explained_report(explain_key(options.kind, document, key, file, options.set)), options.json);
}

void add_config_options(CLI::App& app, ConfigOptions& options) {
  app.add_option("KEY", options.key,
                 "a key to explain, path.to.key or its last words, or a block of keys: what it means, its "
                 "value, unit, origin, source, range");
  take_shipped_too(app.add_option("CONFIG", options.file,
                                  "the file whose value is explained; without it the shipped one that new "
                                  "files start from"),
                   "experiments");
  app.add_option("--kind", options.kind, "a kind of file ('a3sim config init --help'; default: experiment)")
      ->type_name(fmt::format("KIND:{{{}}}", fmt::join(Documents::names(), ",")));
  options.add_set_to(app);
  options.json.add_to(app);
  app.require_subcommand(0, 1);
}

A3SIM_REGISTER(Command, "config",
               "Keys of configurations: what each means and takes, and where a value comes from",
               Command(CommandGroup::kPrototype, add_config_options, run));

}  // namespace
}  // namespace a3sim
