#include "sim/core/config/include.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "sim/core/config/foreign.h"
#include "sim/core/config/shipped_files.h"
#include "sim/core/config/yaml_reader.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;
using Kind = ConfigValue::Kind;

// A cache of files parsed by this thread: sweeps, studies and lists of keys load hundreds of configurations
// from the same few files, and parsing one takes milliseconds.
class ParsedFiles {
 public:
  // Reads like read_yaml(). Caches documents without errors only.
  std::unique_ptr<ConfigValue> read(std::string_view text, const Mark& start, Diagnostics& diagnostics) {
    const auto found = files_.find(start.file);
    if (found != files_.end() && found->second.text == text) return found->second.value->as_read();
    const std::size_t noted = diagnostics.messages().size();
    std::unique_ptr<ConfigValue> value = read_yaml(text, start, diagnostics);
    if (value == nullptr || diagnostics.messages().size() != noted || text.size() > kLargest) return value;
    if (files_.size() == kMost) files_.clear();
    files_.insert_or_assign(start.file, File{std::string(text), value->as_read()});
    return value;
  }

 private:
  static constexpr std::size_t kMost = 64, kLargest = std::size_t{64} << 10;

  struct File {
    std::string text;
    std::unique_ptr<ConfigValue> value;
  };
  std::map<std::string, File, std::less<>> files_;
};

// Reads the files of one configuration, depth first.
class IncludeReader {
 public:
  explicit IncludeReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // `asked` is where the file is named, for the message if it cannot be read.
  std::unique_ptr<ConfigValue> read_file(const fs::path& file, const Mark& asked) {
    const std::string identity = identity_of(file);
    if (std::find(open_files_.begin(), open_files_.end(), identity) != open_files_.end()) {
      return failed(asked, fmt::format("'{}' includes itself, expected no cycle", file.string()), "include");
    }
    if (++files_ > kMostFiles)
      return failed(asked, fmt::format("more than {} files to read, expected fewer", kMostFiles), "include");
    const std::optional<std::string> text = contents(file, asked);
    if (!text) return nullptr;
    bytes_ += text->size();
    if (bytes_ > kLargestFile)
      return failed(
          asked,
          fmt::format("the files of one configuration are larger than {} MiB together", kLargestFile >> 20),
          "include");
    // The top file is always a configuration, whatever its name.
    for (const auto& [name, foreign] : ForeignConfigs::all()) {
      if (asked.line > 0 && foreign.object->takes(file, *text))
        return foreign.object->read(*text, Mark{file.string(), 1, 1}, diagnostics_);
    }
    open_files_.push_back(identity);
    std::unique_ptr<ConfigValue> value = read_text(*text, file.string());
    open_files_.pop_back();
    return value;
  }

  std::unique_ptr<ConfigValue> read_text(std::string_view text, const std::string& name) {
    const Mark start{name, 1, 1};
    static thread_local ParsedFiles parsed;
    std::unique_ptr<ConfigValue> own = parsed.read(text, start, diagnostics_);
    if (own == nullptr) return nullptr;
    if (own->kind != Kind::kNull && own->kind != Kind::kMap) {
      return failed(own->mark, fmt::format("{}, expected a mapping of keys", own->description()));
    }
    own->kind = Kind::kMap;
    const std::unique_ptr<ConfigValue> includes = own->take("include");
    if (includes == nullptr) return own;
    std::unique_ptr<ConfigValue> base = read_all(*includes, fs::path(name).parent_path());
    if (base != nullptr) merge(*base, std::move(own));
    return base;
  }

 private:
  std::unique_ptr<ConfigValue> read_all(const ConfigValue& includes, const fs::path& folder) {
    auto merged = std::make_unique<ConfigValue>();
    merged->kind = Kind::kMap;
    const auto add = [&](const ConfigValue& name) {
      std::unique_ptr<ConfigValue> file = read_one(name, folder);
      if (file == nullptr || merged == nullptr) {
        merged = nullptr;
      } else {
        merge(*merged, std::move(file));
      }
    };
    if (includes.kind != Kind::kList) add(includes);
    for (const auto& item : includes.items) add(*item);
    return merged;
  }

  std::unique_ptr<ConfigValue> read_one(const ConfigValue& name, const fs::path& folder) {
    if (name.kind != Kind::kScalar || name.text.empty()) {
      return failed(name.mark, fmt::format("{}, expected a path or a list of paths", name.description()),
                    "include");
    }
    return read_file(place_of(name.text, folder), name.mark);
  }

  // Relative to the file that includes it, or else a shipped file of this name.
  static fs::path place_of(const fs::path& name, const fs::path& folder) {
    fs::path file = (folder / name).lexically_normal();
    std::error_code error;
    if (name.is_absolute() || fs::is_regular_file(file, error)) return file;
    for (const auto& [folder_name, shipped] : ShippedFolders::all()) {
      if (std::optional<fs::path> found = shipped.object->find(name)) return *std::move(found);
    }
    return file;
  }

  std::optional<std::string> contents(const fs::path& file, const Mark& asked) {
    const auto fail = [&](std::string_view reason) {
      failed(asked, fmt::format("cannot read '{}': {}, expected a configuration file", file.string(), reason),
             asked.line == 0 ? "" : "include");
      return std::nullopt;
    };
    FileText read = try_read_file(file, kLargestFile);
    if (!read.error.empty()) return fail(read.error);
    return std::move(read.text);
  }

  // Two names of one file are the same file.
  static std::string identity_of(const fs::path& file) {
    std::error_code error;
    const fs::path canonical = fs::canonical(file, error);
    return error ? file.string() : canonical.string();
  }

  std::nullptr_t failed(const Mark& mark, const std::string& message, std::string_view path = "") {
    diagnostics_.error(mark, path, message);
    return nullptr;
  }

  Diagnostics& diagnostics_;
  std::vector<std::string> open_files_;
  int files_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<ConfigValue> read_with_includes(const fs::path& file, Diagnostics& diagnostics) {
  return IncludeReader(diagnostics).read_file(file, Mark{file.string(), 0, 0});
}

std::unique_ptr<ConfigValue> read_with_includes(std::string_view text, const std::string& name,
                                                Diagnostics& diagnostics) {
  return IncludeReader(diagnostics).read_text(text, name);
}

void merge(ConfigValue& base, std::unique_ptr<ConfigValue> over) {
  base.mark = over->mark;
  for (ConfigValue::Entry& entry : over->entries) {
    ConfigValue::Entry* const below = base.find(entry.key);
    if (below == nullptr) {
      base.add(std::move(entry.key), std::move(entry.key_mark), std::move(entry.value));
      continue;
    }
    ConfigValue& value = *below->value;
    // A key without a value adds nothing, nor does one that is left open.
    if (value.kind == Kind::kMap && entry.value->kind == Kind::kNull) continue;
    if (!entry.value->open.empty()) continue;
    below->key_mark = std::move(entry.key_mark);
    if (value.kind == Kind::kMap && entry.value->kind == Kind::kMap && !entry.value->is_sourced() &&
        !entry.value->whole) {
      merge(value, std::move(entry.value));
    } else {
      below->value = std::move(entry.value);
    }
  }
}

}  // namespace a3sim
