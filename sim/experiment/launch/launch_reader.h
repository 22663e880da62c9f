#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/experiment/launch/launch_arguments.h"

namespace a3sim {

// Turns the arguments of a launch script into keys of a configuration. Keys are set with the places of what they come from.
class LaunchReader {
 public:
  LaunchReader(LaunchScript& script, const Mark& start, Diagnostics& diagnostics);

  // Returns the last argument of this name, which is the one that counts; nullptr if it is not there.
  const LaunchArgument* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // True for a flag that is there, unless it says false.
  bool flag(std::string_view name) const;
  // Returns the argument's place, or the script's.
  Mark mark(std::string_view name) const;
  // Returns the place of the argument's value, or the script's.
  Mark value_mark(std::string_view name) const;
  // Returns the argument's only value. Notes an error for none or several; leaves `key` open for one that is not known.
  std::optional<std::string> text(std::string_view name, std::string_view key);
  // Does the same for a whole number from `least` to a million.
  std::optional<std::int64_t> whole(std::string_view name, std::string_view key, std::int64_t least = 1);
  // Returns `usual` if the argument is not there, and nullopt if its value is not known.
  std::optional<std::int64_t> whole_or(std::string_view name, std::string_view key, std::int64_t usual,
                                       std::int64_t least = 1);

  void set(std::string_view key, const std::string& value, const Mark& mark);
  void set(std::string_view key, std::int64_t value, const Mark& mark);
  void set_list(std::string_view key, const std::vector<std::pair<std::string, Mark>>& items);
  // Sets the key to the number that the argument gives, if it is there.
  void copy(std::string_view name, std::string_view key, std::int64_t least = 1);
  // Leaves the key open: reading it is an error with this reason, unless another file or --set gives it.
  void open(std::string_view key, const std::string& why, const Mark& mark);
  void error(const Mark& mark, std::string_view message) { diagnostics_.error(mark, "", message); }
  // Adds to what may matter and is not modelled.
  void note(const std::string& text, const Mark& mark) { notes_.emplace_back(text, mark); }

  const Mark& start() const { return start_; }
  LaunchScript& script() { return script_; }
  // Adds the list of what is not modelled. Call this last.
  void finish();

 private:
  ConfigValue& block(std::string_view path);
  void add(std::string_view key, const Mark& mark, std::unique_ptr<ConfigValue> value);

  LaunchScript& script_;
  Mark start_;
  Diagnostics& diagnostics_;
  std::vector<std::pair<std::string, Mark>> notes_;
};

// The positions of layers that each chunk of a pipeline has, as the script's arguments say, with those left empty.
struct ScriptChunks {
  std::vector<std::vector<std::uint32_t>> positions;  // one entry per chunk, without empty positions
  std::vector<std::uint32_t> all() const;             // of all chunks, in order
};

// Read the blocks `parallel` and `model`, and the block `step`, of Megatron's arguments.
std::optional<ScriptChunks> read_megatron_layout(LaunchReader& reader);
void read_megatron_model(LaunchReader& reader, const std::optional<ScriptChunks>& chunks);
void read_megatron_step(LaunchReader& reader);

// Returns a list of Megatron's such as ([0]*3+[1]*58) or [0,1,1]; nullopt for another text.
std::optional<std::vector<std::int64_t>> number_list(std::string_view text);

}  // namespace a3sim
