#include "sim/study/reference.h"

#include <algorithm>
#include <charconv>

#include "sim/core/config/config.h"

namespace a3sim {
namespace {

// Whole numbers become numbers, everything else text.
nlohmann::ordered_json scalar(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  return text;
}

}  // namespace

std::vector<Reference> read_references(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  std::vector<Reference> references;
  for (const Config& point : root.maps("points")) {
    Reference reference;
    const Config kase = point.map("case");
    for (const std::string& key : kase.keys()) reference.kase[key] = scalar(kase.text(key));
    reference.latency = point.duration("latency", false);
    reference.hardware = point.text("hardware");
    reference.source = point.text("source");
    point.finish();
    references.push_back(std::move(reference));
  }
  root.finish();
  diagnostics.throw_if_any();
  return references;
}

const Reference* find_reference(const std::vector<Reference>& references,
                                const nlohmann::ordered_json& kase) {
  const auto found = std::find_if(references.begin(), references.end(), [&](const Reference& reference) {
    return nlohmann::json(reference.kase) == nlohmann::json(kase);  // keys in any order
  });
  return found == references.end() ? nullptr : &*found;
}

}  // namespace a3sim
