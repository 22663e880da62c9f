#include "sim/core/checksum.h"

#include <catch2/catch.hpp>
#include <string>

#include "sim/core/terminal_text.h"

namespace a3sim {
namespace {

// One bit at a time, by the definition: remainders by the reversed polynomial of IEEE 802.3.
std::uint32_t by_definition(const std::string& text) {
  constexpr std::uint32_t kPolynomial = 0xEDB88320;
  std::uint32_t rest = ~0U;
  for (const char c : text) {
    rest ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) rest = rest & 1U ? rest >> 1U ^ kPolynomial : rest >> 1U;
  }
  return ~rest;
}

TEST_CASE("A checksum is the CRC-32 of its definition, whole and in parts") {
  CHECK(checksum_text(checksum("123456789")) == "cbf43926");  // the standard's check value
  const std::string text = "tasks, events and regions";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string head = text.substr(0, cut);
    CHECK(checksum(head) == by_definition(head));
    CHECK(checksum(text.substr(cut), checksum(head)) == by_definition(text));
  }
  CHECK(checksum(std::string_view(), 7) == 7);
}

TEST_CASE("Names cannot move a terminal's cursor") {
  CHECK(terminal_text("a\tb\n") == "a\tb\n");
  CHECK(terminal_text("\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80") == "\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80");
  CHECK(terminal_text(std::string("\x1b[2J\r\x7f\0", 7)) == "\\x1b[2J\\x0d\\x7f\\x00");
  CHECK(terminal_text("\xc2\x9b") == "\\xc2\\x9b");  // CSI in one character
  for (const char* wrong : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    CHECK(terminal_text(wrong).starts_with("\\x"));
}

}  // namespace
}  // namespace a3sim
