#include "sim/experiment/config/stated_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/config/value.h"
#include "sim/core/size_error.h"

namespace a3sim {
namespace {

struct StatedNumber {
  std::string text;
  double value = 0;
};

// Returns the place of a key's value, or nullopt for a default, which stands nowhere.
std::optional<Mark> place_of_key(Config block, std::string_view key) {
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    block = block.map(key.substr(0, dot));
    key.remove_prefix(dot + 1);
  }
  return block.has(key) ? std::optional(block.mark(key)) : std::nullopt;
}

// Returns the numbers, with or without units, whose values stand in that file.
std::vector<StatedNumber> numbers_in(const Experiment& experiment, const Config& root,
                                     const std::string& file) {
  std::vector<StatedNumber> numbers;
  for (const auto& [key, text] : experiment.values) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || (*end != '\0' && *end != ' ')) continue;
    const std::optional<Mark> mark = place_of_key(root, key);
    if (mark && mark->file == file)
      numbers.push_back({fmt::format("{}={} ({})", key, text, mark->text()), value});
  }
  std::ranges::stable_sort(numbers, std::ranges::greater(), &StatedNumber::value);
  return numbers;
}

}  // namespace

std::string stated_numbers(const Experiment& experiment) {
  constexpr std::size_t kShown = 3;
  Diagnostics ignored;
  const Config root = Config::from(*experiment.tree->as_read(), {}, ignored);
  std::vector<StatedNumber> numbers = numbers_in(experiment, root, "--set");
  if (numbers.empty()) numbers = numbers_in(experiment, root, root.mark().file);
  numbers.resize(std::min(numbers.size(), kShown));
  std::vector<std::string> texts;
  for (const StatedNumber& number : numbers) texts.push_back(number.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

void name_stated_numbers(const Experiment& experiment, const std::function<void()>& work) {
  const auto with_numbers = [&](const std::string& message) {
    const std::string numbers = stated_numbers(experiment);
    return numbers.empty() ? message : fmt::format("{}\nstated: {}", message, numbers);
  };
  try {
    work();
  } catch (const InputSizeError& error) {
    throw InputSizeError(with_numbers(error.what()));
  } catch (const RunSizeError& error) {
    throw RunSizeError(with_numbers(error.what()));
  } catch (const std::bad_alloc&) {
    throw RunSizeError(with_numbers(experiment.name + ": out of memory"));
  }
}

}  // namespace a3sim
