#include "sim/describe/key_sentences.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {
namespace {

constexpr const char* kTable =
#include "sim/describe/keys.inc"
    ;

// Kinds whose keys are all keys of experiments too.
constexpr std::array kPartsOfExperiments = {"hardware", "program", "model", "order", "faults"};

using Sentences = std::map<std::string, std::vector<KeySentence>, std::less<>>;  // by kind

Sentences read_table() {
  Diagnostics diagnostics;
  const Config root = Config::parse(kTable, "keys.yaml", {}, diagnostics);
  Sentences sentences;
  for (const std::string& kind : root.names()) {
    const Config section = root.map(kind);
    for (const std::string& pattern : section.names())
      sentences[kind].push_back({pattern, section.text(pattern)});
  }
  diagnostics.throw_if_any();
  return sentences;
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('.')); }

std::string_view rest_of(std::string_view path) {
  const std::size_t point = path.find('.');
  return point == std::string_view::npos ? std::string_view() : path.substr(point + 1);
}

}  // namespace

std::span<const KeySentence> key_sentences(std::string_view kind) {
  static const Sentences kSentences = read_table();
  if (std::ranges::find(kPartsOfExperiments, kind) != kPartsOfExperiments.end()) kind = "experiment";
  const auto found = kSentences.find(kind);
  return found == kSentences.end() ? std::span<const KeySentence>() : found->second;
}

bool fits_key(std::string_view pattern, std::string_view path) {
  if (first_part(pattern) == "**") {
    const std::string_view end = rest_of(pattern);
    for (path = rest_of(path); !path.empty(); path = rest_of(path))
      if (fits_key(end, path)) return true;
    return false;
  }
  while (!pattern.empty() && !path.empty()) {
    if (first_part(pattern) != "*" && first_part(pattern) != first_part(path)) return false;
    pattern = rest_of(pattern);
    path = rest_of(path);
  }
  return pattern.empty() && path.empty();
}

std::vector<const KeySentence*> sentences_of(std::string_view kind, std::string_view path) {
  std::vector<const KeySentence*> fitting;
  std::ptrdiff_t fewest = 0;
  for (const KeySentence& sentence : key_sentences(kind)) {
    if (!fits_key(sentence.pattern, path)) continue;
    const std::ptrdiff_t stars = std::ranges::count(sentence.pattern, '*');
    if (!fitting.empty() && stars > fewest) continue;
    if (!fitting.empty() && stars < fewest) fitting.clear();
    fewest = stars;
    fitting.push_back(&sentence);
  }
  return fitting;
}

std::string_view meaning_of(std::string_view kind, std::string_view path) {
  const std::vector<const KeySentence*> fitting = sentences_of(kind, path);
  return fitting.empty() ? std::string_view() : std::string_view(fitting.front()->text);
}

}  // namespace a3sim
