#include "sim/study/summary/saved_bounds.h"

#include "sim/core/config/config.h"

namespace a3sim {

std::vector<SavedBounds> read_bounds(const std::filesystem::path& directory) {
  Diagnostics diagnostics;
  const Config result = Config::load(directory / "result.json", {}, diagnostics);
  std::vector<SavedBounds> all;
  for (const Config& pass : result.maps("passes")) {
    SavedBounds& of = all.emplace_back();
    of.pass = pass.text("pass");
    of.binding = pass.text("binding", "");
    if (!of.binding.empty() && pass.has("bounds_ps")) {
      constexpr std::int64_t kMostTime = std::int64_t{1} << 50;
      of.bound = Duration(pass.map("bounds_ps").integer(of.binding, 0, kMostTime));
    }
  }
  diagnostics.throw_if_any();
  return all;
}

}  // namespace a3sim
