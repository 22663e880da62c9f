#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A word of a shell command, after expansion, with the place of each of its characters in the script: a value that comes
// from a variable lies where the variable is set.
struct ShellWord {
  std::string text;
  std::vector<std::uint32_t> places;  // one entry per character: its offset in the script
  std::uint32_t place = 0;            // of an empty word: where it stands
  // If part of the word is not known: why, as "TP is not set in the script".
  std::string unknown;

  std::uint32_t begin() const { return places.empty() ? place : places.front(); }
};

struct ShellCommand {
  std::vector<ShellWord> words;
  bool conditional = false;  // it stands under an `if`, in a loop or in a function
};

// A part of a script that is not followed, because that would take running it.
struct ShellGap {
  std::uint32_t place = 0;
  std::string what;
};

struct ShellScript {
  std::vector<ShellCommand> commands;  // in order; each of a pipeline by itself
  std::vector<ShellGap> gaps;
  std::vector<std::uint32_t> lines;  // offset of each line's first character

  // Returns the place as line and column of the file.
  Mark mark(const std::string& file, std::uint32_t place) const;
};

// Reads a script of bash as far as that needs nothing to be run: variables, arrays, `${X:-default}`, `$((arithmetic))`,
// quotes, lines continued by `\`, comments. Nothing is executed, and no file or environment variable is read: commands in
// `$(...)`, files that are sourced, and what is set under conditions are gaps, and words that depend on them are unknown.
// Notes errors: quotes without an end, division by zero, values that grow without bound.
ShellScript read_shell(std::string_view text, const std::string& file, Diagnostics& diagnostics);

}  // namespace a3sim
