#pragma once

#include <cstddef>
#include <functional>

namespace a3sim {

// Calls `work(0)` … `work(count - 1)`, each once, on as many threads at a time. What they write must not
// overlap. If some throw, the first of them in that order is thrown again when all that run have ended; those
// behind one that has thrown need not begin.
// Who waits at a terminal sees how far it is, if nobody else tells.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace a3sim
