#include "sim/core/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

namespace a3sim {

Error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return RunError("out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return RunError(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    // A thread's stack is memory, too.
    if (error.code() == std::errc::resource_unavailable_try_again)
      return RunError("out of memory or of threads: no other thread can be started");
    return {ExitCode::kInternal, fmt::format("unexpected: {}", error.what())};
  } catch (const std::exception& error) {
    return {ExitCode::kInternal, fmt::format("unexpected: {}", error.what())};
  } catch (...) {
    return {ExitCode::kInternal, "unexpected: something that is no exception"};
  }
}

}  // namespace a3sim
