#include "sim/experiment/launch/arithmetic.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace a3sim {
namespace {

class ArithmeticReader {
 public:
  explicit ArithmeticReader(std::string_view text) : text_(text) {}

  ArithmeticValue read() {
    const std::int64_t value = sum();
    if (next() != '\0')
      fail(fmt::format("'{}', expected + - * / % ( ) and whole numbers", text_.substr(at_)));
    return {value, error_};
  }

 private:
  static constexpr int kDeepest = 64;

  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() && error_.empty() ? text_[at_] : '\0';
  }
  bool takes(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  std::int64_t fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return 0;
  }
  // Returns the result of an operation that may have left the range of 64 bits.
  std::int64_t within(bool overflow, const std::int64_t& value) {
    return overflow ? fail("a number beyond 64 bits") : value;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    while (next() == '+' || next() == '-') {
      const bool minus = text_[at_++] == '-';
      const std::int64_t other = product();
      const bool overflow =
          minus ? __builtin_sub_overflow(value, other, &value) : __builtin_add_overflow(value, other, &value);
      value = within(overflow, value);
    }
    return value;
  }

  std::int64_t product() {
    std::int64_t value = factor();
    for (;;) {
      if (takes('*')) {
        const std::int64_t other = factor();
        const bool overflow = __builtin_mul_overflow(value, other, &value);
        value = within(overflow, value);
      } else if (next() == '/' || next() == '%') {
        const bool rest = text_[at_++] == '%';
        const std::int64_t by = factor();
        if (by == 0) return fail("a division by zero");
        if (by == -1) return fail("a division by -1");
        value = rest ? value % by : value / by;
      } else {
        return value;
      }
    }
  }

  std::int64_t factor() {
    if (++depth_ > kDeepest) return fail("more brackets in one another than 64");
    std::int64_t value = 0;
    if (takes('-')) {
      const bool overflow = __builtin_sub_overflow(std::int64_t{0}, factor(), &value);
      value = within(overflow, value);
    } else {
      value = takes('+') ? factor() : atom();
    }
    --depth_;
    return value;
  }

  std::int64_t atom() {
    if (takes('(')) {
      const std::int64_t value = sum();
      if (!takes(')')) fail("a bracket that does not end");
      return value;
    }
    next();
    std::int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) return fail("a number beyond 64 bits");
    if (error != std::errc() || *begin == '-')
      return fail(fmt::format("'{}', expected + - * / % ( ) and whole numbers", text_));
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

ArithmeticValue arithmetic(std::string_view expression) { return ArithmeticReader(expression).read(); }

}  // namespace a3sim
