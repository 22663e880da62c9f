// libFuzzer calls these. The target stands on the command line: fuzz --target=NAME CORPUS...
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/core/error.h"
#include "tests/fuzz/target.h"

namespace {

const a3sim::FuzzTarget* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with(kOption)) chosen = a3sim::FuzzTargets::find(argument.substr(kOption.size()));
  }
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "--target=NAME: one of %s\n", a3sim::FuzzTargets::known().c_str());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->take({reinterpret_cast<const char*>(data), size});
  } catch (const a3sim::Error&) {
    return 0;
  }
  return 0;
}
