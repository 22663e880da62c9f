#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace a3sim {

// Of inputs that run the same code, the first ones in debug builds, where sanitizers look at the code; in others all.
template <class T>
std::vector<T> few(std::size_t count, std::initializer_list<T> all) {
#ifdef NDEBUG
  count = all.size();
#endif
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()))};
}

}  // namespace a3sim
