#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace a3sim {

// The value of a shell's arithmetic expression, or what is wrong with it.
struct ArithmeticValue {
  std::int64_t value = 0;
  std::string error;
};

// Computes `+ - * / %`, brackets and whole numbers, as `$((...))` does. Refuses results beyond 64 bits.
ArithmeticValue arithmetic(std::string_view expression);

}  // namespace a3sim
