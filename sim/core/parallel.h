#pragma once

#include <cstddef>
#include <functional>

namespace a3sim {

// Calls `work(0)` … `work(count - 1)`, each once, on up to `threads` threads. The calls must not write the
// same data. If calls throw, waits for all running calls and rethrows the exception of the lowest index;
// calls with higher indices may be skipped. Shows progress on a terminal unless a caller does.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace a3sim
