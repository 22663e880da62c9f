#include "sim/core/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>

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
  } catch (const std::exception& error) {
    return {ExitCode::kInternal, fmt::format("unexpected: {}", error.what())};
  } catch (...) {
    return {ExitCode::kInternal, "unexpected: something that is no exception"};
  }
}

}  // namespace a3sim
