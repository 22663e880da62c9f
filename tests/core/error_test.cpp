#include "sim/core/error.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <new>
#include <set>

using namespace a3sim;

namespace {

template <class Thrown>
Error told(const Thrown& thrown) {
  return error_of(std::make_exception_ptr(thrown));
}

}  // namespace

TEST_CASE("What is thrown ends the program with the code that users know it by") {
  CHECK(told(InputError("x")).code() == ExitCode::kUsage);
  CHECK(told(RunError("x")).code() == ExitCode::kFailed);
  CHECK(told(Error(ExitCode::kPartly, "x")).code() == ExitCode::kPartly);
  CHECK(told(Error(ExitCode::kInterrupted, "x")).code() == ExitCode::kInterrupted);
  CHECK(told(std::bad_alloc()).code() == ExitCode::kFailed);
  const std::error_code full = std::make_error_code(std::errc::no_space_on_device);
  CHECK(told(std::filesystem::filesystem_error("write", "/some/file", full)).code() == ExitCode::kFailed);
  CHECK(told(std::logic_error("a circle")).code() == ExitCode::kInternal);
  CHECK(told(7).code() == ExitCode::kInternal);
}

TEST_CASE("A mistake of ours says that it is none of the user's, and an error of the user's stays as it is") {
  CHECK(std::string(told(std::logic_error("a circle")).what()) == "unexpected: a circle");
  CHECK(std::string(told(InputError("a.yaml:1:2: cut: wrong")).what()) == "a.yaml:1:2: cut: wrong");
}

TEST_CASE("Exit codes are those that are documented, each once") {
  std::set<int> codes;
  for (const auto& [code, meaning] : kExitCodes) codes.insert(static_cast<int>(code));
  CHECK(codes == std::set<int>{0, 1, 2, 3, 4, 130});
  CHECK(std::size(kExitCodes) == codes.size());
}
