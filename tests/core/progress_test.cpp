#include "sim/core/progress.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <thread>

#include "sim/core/parallel.h"

using namespace a3sim;

namespace {

// What is written while `work` runs at a terminal.
template <class Work>
std::string written(const Work& work, std::chrono::milliseconds silence = {}) {
  std::FILE* terminal = std::tmpfile();
  REQUIRE(terminal != nullptr);
  Progress::show(terminal, silence, {});
  work();
  Progress::show(nullptr);
  std::string text(static_cast<std::size_t>(std::ftell(terminal)), ' ');
  REQUIRE(std::fseek(terminal, 0, SEEK_SET) == 0);
  REQUIRE(std::fread(text.data(), 1, text.size(), terminal) == text.size());
  std::fclose(terminal);
  return text;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("progress: what is done is said on one line, which is taken back") {
  const std::string text = written([] {
    Progress progress("fits", 3);
    progress.step();
    progress.step();
    progress.reach(2, "1 failed");
    progress.step();
  });
  CHECK(times(text, "\r\x1b[K1 of 3 fits, ") == 1);
  CHECK(times(text, "\r\x1b[K2 of 3 fits, 1 failed, ") == 1);
  CHECK(times(text, "3 of 3 fits, 0 s left") == 1);
  CHECK(text.ends_with("\r\x1b[K"));
  CHECK(times(text, "\n") == 0);
}

TEST_CASE("progress: only the first of several speaks, and threads count together") {
  const std::string text = written([] {
    Progress all("parts");
    in_parallel(50, 4, [](std::size_t) {});
    all.step();
  });
  CHECK(times(text, "simulations") == 0);
  CHECK(times(text, "1 parts, 0 s so far") == 1);
  const std::string alone = written([] { in_parallel(50, 4, [](std::size_t) {}); });
  for (int i = 1; i <= 50; ++i) CHECK(times(alone, "K" + std::to_string(i) + " of 50 simulations") <= 1);
  CHECK(times(alone, "50 of 50 simulations") == 1);
}

TEST_CASE("progress: a first piece that takes long is not silent") {
  const std::string text = written([] {
    const Progress progress("fits", 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  });
  CHECK(times(text, "\r\x1b[K0 of 3 fits") == 1);
  CHECK(text.ends_with("\r\x1b[K"));
}

TEST_CASE("progress: signals are left to the threads of the program, which may read them when they like") {
  int received = 0;
  written([&] {
    const Progress progress("points", 3);
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    kill(getpid(), SIGINT);  // would end the program if another thread took it
    sigwait(&interrupt, &received);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
  CHECK(received == SIGINT);
}

TEST_CASE("progress: what is soon over, and what no terminal sees, says nothing") {
  CHECK(written([] { in_parallel(50, 2, [](std::size_t) {}); }, std::chrono::hours(1)).empty());
  Progress progress("fits", 1);
  progress.step();
}
