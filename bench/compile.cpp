// Measures the compiler's speed and the memory of a schedule: the paper's shape at EP 4, 8 and 16.
#include "scheduler/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "models/graph/graph.h"

namespace {

using namespace a3sim;

constexpr int kRepeats = 5;

CompileOptions options(std::uint32_t ep) {
  CompileOptions o;
  o.shape = {
      .tokens = 4096, .hidden = 7168, .intermediate = 2048, .top_k = 8, .experts_per_rank = 8, .ep = ep};
  o.capacity = route({}, o.shape);
  o.order.name = "ratr";
  o.order.keys[0] = {"stage", "expert", "tile"};
  o.order.keys[1] = {"stage", "expert", "chunk", "(dst - rank) % ep"};
  o.workers = aic_and_aiv(25, 50);
  return o;
}

void measure(std::uint32_t ep) {
  const CompileOptions o = options(ep);
  double best = 1e9;
  std::size_t tasks = 0, bytes = 0;
  for (int i = 0; i < kRepeats; ++i) {
    tasks = bytes = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const Graph& graph :
         {forward_graph(o.shape, Window::kTransport), backward_graph(o.shape, Window::kTransport)}) {
      for (const Ssc& ssc : compile(graph, "moe", o).schedule) {
        tasks += ssc.tasks().size();
        bytes += ssc.bytes().size();
      }
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  fmt::print("EP{:<3} {:>7} tasks  {:>7.1f} ms  {:>6.2f} M tasks/s  {:>6.1f} bytes per task\n", ep, tasks,
             best * 1e3, static_cast<double>(tasks) / best * 1e-6,
             static_cast<double>(bytes) / static_cast<double>(tasks));
}

}  // namespace

int main() {
  fmt::print("compile, forward and backward, every rank, one core (best of {})\n", kRepeats);
  for (const std::uint32_t ep : {4U, 8U, 16U}) measure(ep);
}
