#include "sim/core/parallel.h"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "sim/core/progress.h"

namespace a3sim {

void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0, failed = count;  // lowest index known to have failed
  Progress progress("simulations", count);
  const auto take = [&] {
    for (std::size_t i = next++; i < failed; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
        std::size_t first = failed;
        while (i < first && !failed.compare_exchange_weak(first, i)) {
        }
      }
      progress.step();
    }
  };
  {
    std::vector<std::jthread> others;
    // If the system refuses more threads, the existing ones do all the work.
    bool given = true;
    for (unsigned t = 1; given && t < threads && t < count; ++t) {
      try {
        others.emplace_back(take);
      } catch (const std::system_error&) {
        given = false;
      }
    }
    take();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace a3sim
