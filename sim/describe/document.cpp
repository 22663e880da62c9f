#include "sim/describe/document.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Stands for names that users choose. It is also valid as a rank's number.
constexpr std::string_view kAnyName = "0";
constexpr std::size_t kMostOverrides = 8;

class Exploration {
 public:
  explicit Exploration(const Document& document) : document_(document) {}

  KeyTree run() {
    for (const fs::path& sample : document_.sample_files()) waiting_.push_back({sample, {}});
    while (!waiting_.empty()) {
      at_ = std::move(waiting_.front());
      waiting_.pop_front();
      const KeyTree tree = ask();
      look(tree, "", "");
      known_.merge(tree);
    }
    return std::move(known_);
  }

 private:
  struct Reading {
    fs::path file;
    std::vector<std::string> overrides;
  };

  KeyTree ask() const {
    Diagnostics diagnostics;
    const Config root = Config::load(at_.file, at_.overrides, diagnostics);
    try {
      document_.read(root, diagnostics, at_.file);
    } catch (const Error& error) {  // keys asked for before the error are known
      spdlog::debug("{}: {}", at_.file.string(), error.what());
    }
    return root.known();
  }

  // `path` has '*' for names and positions; `place` has their values in this reading.
  void look(const KeyTree& tree, const std::string& path, const std::string& place) {
    for (const auto& [key, known] : tree.keys) look(known, path + key, place + key);
    if (!tree.any) return;
    if (tree.example.empty())
      try_value(path + '*', fmt::format("{}{}", place, kAnyName), "{}");
    else if (tree.example.find('.') == std::string::npos)
      look(*tree.any, path + '*', place + tree.example);
  }

  void look(const KnownKey& known, const std::string& path, const std::string& place) {
    if (known.forms.empty() && !known.present) try_value(path, place, "{}");
    for (const KeyForm& form : known.forms) {
      if (form.kind == KeyKind::kMap && (!known.below || !known.present)) try_value(path, place, "{}");
      if (form.kind == KeyKind::kMaps && !known.below) try_value(path, place, "[{}]");
      for (const std::string& name : form.names) try_value(path, place, name);
      if (form.kind == KeyKind::kBoolean)
        for (const char* value : {"true", "false"}) try_value(path, place, value);
    }
    if (!known.below) return;
    const bool in_list = known.below->list;
    look(*known.below, path + (in_list ? ".*." : "."), place + (in_list ? ".0." : "."));
  }

  void try_value(const std::string& path, const std::string& place, const std::string& value) {
    if (at_.overrides.size() == kMostOverrides || !tried_.insert(path + '=' + value).second) return;
    Reading next = at_;
    next.overrides.push_back(place + '=' + value);
    waiting_.push_back(std::move(next));
  }

  const Document& document_;
  Reading at_;
  std::deque<Reading> waiting_;
  std::set<std::string> tried_;
  KeyTree known_;
};

bool shares_form(const KnownKey& named, const KnownKey& any) {
  return named.forms.empty() || any.forms.empty() ||
         std::ranges::any_of(named.forms, [&](const KeyForm& form) {
           return std::ranges::find(any.forms, form.kind, &KeyForm::kind) != any.forms.end();
         });
}

// Returns whether the key holds nothing that a key of any name does not hold.
bool is_like(const KnownKey& named, const KnownKey& any) {
  if (!shares_form(named, any)) return false;
  if (!named.below) return true;
  if (!any.below) return false;
  for (const auto& [key, known] : named.below->keys) {
    const auto same = any.below->keys.find(key);
    const KnownKey* const like = same == any.below->keys.end() ? any.below->any.get() : &same->second;
    if (!like || !is_like(known, *like)) return false;
  }
  return !named.below->any || (any.below->any && is_like(*named.below->any, *any.below->any));
}

// Leaves out names that readers ask for themselves, like a plane 'ub', where any name may stand and means the same.
void merge_names(KeyTree& tree) {
  for (auto& [key, known] : tree.keys)
    if (known.below) merge_names(*known.below);
  if (!tree.any) return;
  if (tree.any->below) merge_names(*tree.any->below);
  for (auto named = tree.keys.begin(); named != tree.keys.end();) {
    if (!is_like(named->second, *tree.any)) {
      ++named;
      continue;
    }
    KeyTree one;
    one.any = std::make_unique<KnownKey>(std::move(named->second));
    tree.merge(one);
    named = tree.keys.erase(named);
  }
}

}  // namespace

void Document::accept(const fs::path& file) const {
  if (take) return take(file);
  Diagnostics diagnostics;
  read(Config::load(file, {}, diagnostics), diagnostics, file);
  diagnostics.throw_if_any();
}

bool Document::may_have(std::string_view name) const {
  if (has(name)) return true;
  for (std::string_view rest = beside; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::vector<fs::path> Document::sample_files() const {
  return files_in(configs_folder() / (samples.empty() ? folder : samples));
}

const KeyTree& known_keys(const Document& document) {
  // Some commands ask more than once, and the search takes hundreds of readings.
  static thread_local std::map<std::pair<const Document*, fs::path>, KeyTree> known;
  const auto [at, missing] = known.try_emplace({&document, configs_folder()});
  if (missing) {
    at->second = Exploration(document).run();
    merge_names(at->second);
    std::erase_if(at->second.keys, [&](const auto& item) {
      return item.first != "include" && !document.may_have(item.first);
    });
  }
  return at->second;
}

}  // namespace a3sim
