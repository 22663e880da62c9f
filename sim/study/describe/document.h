#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"

namespace a3sim {

// A kind of YAML files that a3sim reads; one file each, registered by name.
class Document {
 public:
  static constexpr std::string_view kKind = "kind of file";
  virtual ~Document() = default;
  // Below the folder of configurations: where the shipped ones stand, and the one that a new file starts from.
  virtual std::string_view folder() const = 0;
  virtual std::string_view usual() const = 0;
  // How one is used, with FILE for it.
  virtual std::string_view use() const = 0;
  // The blocks that such a file has of what is read; none: all.
  virtual std::vector<std::string_view> blocks() const { return {}; }
  // Files that are read to learn what readers ask for. Those of `folder`, unless it says otherwise.
  virtual std::vector<std::filesystem::path> samples() const;
  // Reads everything that the readers of such files read; what is wrong is noted, or thrown as Error.
  virtual void read(const Config& root, Diagnostics& diagnostics,
                    const std::filesystem::path& file) const = 0;
  // Takes the file as the program does. Throws InputError with all that is wrong.
  virtual void accept(const std::filesystem::path& file) const = 0;
};
using Documents = Registry<Document>;

// The YAML files in a folder below that of configurations, sorted.
std::vector<std::filesystem::path> shipped(std::string_view folder);

// What is known of a kind's keys: its readers are run on the samples, and again with each name that they take
// anywhere, and with something at each place where they looked and found nothing, until they ask for nothing new.
KeyTree known_keys(const Document& document);

}  // namespace a3sim
