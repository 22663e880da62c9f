#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/invariants/random_config.h"

namespace a3sim {

// Chooses overrides by draws. Each choice takes one draw, whatever was chosen before.
class Choices {
 public:
  explicit Choices(const RandomConfig& config) : config_(config) {}

  // Returns a number in [0, n); 0 for the smallest draws.
  std::uint32_t below(std::uint32_t n) {
    if (next_ == RandomConfig::kDraws)
      throw std::logic_error("a random configuration has more choices than draws");
    return static_cast<std::uint32_t>(std::uint64_t{config_.draws[next_++]} * n / RandomConfig::kMostDraw);
  }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::uint32_t>(values.size()))];
  }
  template <class T>
  void set(std::string_view key, const T& value) {
    set_.push_back(fmt::format("{}={}", key, value));
  }
  // Sets the key to one of the values; leaves it unchanged for the empty one.
  void choose(std::string_view key, std::initializer_list<const char*> values) {
    if (const std::string value = of(values); !value.empty()) set(key, value);
  }
  std::vector<std::string> take() && { return std::move(set_); }

 private:
  const RandomConfig& config_;
  std::size_t next_ = 0;
  std::vector<std::string> set_;
};

}  // namespace a3sim
