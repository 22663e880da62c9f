#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// The meanings of keys, one sentence or a few each (keys.yaml).
struct KeySentence {
  std::string pattern;  // a path; '*' stands for one part of it, '**' at the beginning for one or more
  std::string text;
};

// Returns the sentences about the keys of a kind of files (Documents); empty if there are none.
std::span<const KeySentence> key_sentences(std::string_view kind);

// Returns whether a pattern fits a path as ListedKey has it.
bool fits_key(std::string_view pattern, std::string_view path);

// Returns the sentences that fit a path best: those with the fewest stars. There is one for each key and each block.
std::vector<const KeySentence*> sentences_of(std::string_view kind, std::string_view path);

// Returns what a key, or a block of keys, means; empty if no sentence fits it.
std::string_view meaning_of(std::string_view kind, std::string_view path);

}  // namespace a3sim
