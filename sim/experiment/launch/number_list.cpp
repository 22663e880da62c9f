#include <charconv>

#include "sim/experiment/launch/launch_reader.h"

namespace a3sim {
namespace {

// Reads sums of lists, each with brackets of its own and perhaps repeated.
class NumberListReader {
 public:
  explicit NumberListReader(std::string_view text) {
    for (const char c : text)
      if (c != ' ' && c != '\'' && c != '"') text_ += c;
  }

  std::optional<std::vector<std::int64_t>> read() {
    Numbers numbers = sum();
    if (wrong_ || at_ != text_.size()) return {};
    return numbers;
  }

 private:
  using Numbers = std::vector<std::int64_t>;
  static constexpr std::size_t kMost = 1 << 14;
  static constexpr int kDeepest = 32;

  bool takes(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc())
      wrong_ = true;
    else
      at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  Numbers sum() {
    Numbers numbers = product();
    while (!wrong_ && takes('+')) {
      const Numbers more = product();
      numbers.insert(numbers.end(), more.begin(), more.end());
      if (numbers.size() > kMost) wrong_ = true;
    }
    return numbers;
  }

  Numbers product() {
    Numbers one;
    if (++depth_ > kDeepest) wrong_ = true;
    if (!wrong_ && takes('(')) {
      one = sum();
      if (!takes(')')) wrong_ = true;
    } else if (takes('[')) {
      if (!takes(']')) {
        do one.push_back(number());
        while (!wrong_ && takes(',') && one.size() < kMost);
        if (!takes(']')) wrong_ = true;
      }
    } else {
      wrong_ = true;
    }
    --depth_;
    while (!wrong_ && takes('*')) {
      const std::int64_t times = number();
      if (wrong_ || times < 0 || one.size() * static_cast<std::size_t>(times) > kMost ||
          times > static_cast<std::int64_t>(kMost)) {
        wrong_ = true;
        break;
      }
      Numbers all;
      for (std::int64_t n = 0; n < times; ++n) all.insert(all.end(), one.begin(), one.end());
      one = std::move(all);
    }
    return one;
  }

  std::string text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool wrong_ = false;
};

}  // namespace

std::optional<std::vector<std::int64_t>> number_list(std::string_view text) {
  return NumberListReader(text).read();
}

}  // namespace a3sim
