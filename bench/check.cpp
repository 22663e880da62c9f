// How long the check of schedules takes: the paper's shape at EP 4, 8 and 16, forward and backward.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "models/graph/graph.h"
#include "scheduler/compile.h"
#include "scheduler/verify.h"

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

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(std::uint32_t ep) {
  const CompileOptions o = options(ep);
  const Schedule passes[] = {compile(forward_graph(o.shape, Window::kTransport), "forward", o).schedule,
                             compile(backward_graph(o.shape, Window::kTransport), "backward", o).schedule};
  double best = 1e9;
  std::size_t tasks = 0, errors = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const double start = processor_seconds();
    tasks = 0;
    for (const Schedule& schedule : passes) {
      errors += verify(schedule).errors.size();
      for (const Ssc& ssc : schedule) tasks += ssc.tasks().size();
    }
    best = std::min(best, processor_seconds() - start);
  }
  fmt::print("EP{:<3} {:>7} tasks  {:>7.1f} ms  {:>6.2f} M tasks/s  {} errors\n", ep, tasks, best * 1e3,
             static_cast<double>(tasks) / best * 1e-6, errors);
}

}  // namespace

int main() {
  fmt::print("check, forward and backward, every rank, processor time of one core (best of {})\n", kRepeats);
  for (const std::uint32_t ep : {4U, 8U, 16U}) measure(ep);
}
