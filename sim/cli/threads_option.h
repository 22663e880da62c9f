#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

namespace a3sim {

// `--threads N`, as commands that run many simulations have it. Results do not depend on it.
struct ThreadsOption {
  unsigned count = std::max(1U, std::thread::hardware_concurrency());
  void add_to(CLI::App& app) {
    app.add_option("--threads", count, "simulations at a time; without it as many as the machine has cores")
        ->check(CLI::Range(1, 1024));
  }
};

}  // namespace a3sim
