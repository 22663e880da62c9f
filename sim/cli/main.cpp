#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <span>

#include "sim/cli/command.h"
#include "sim/cli/command_line.h"
#include "sim/core/progress.h"
#include "sim/core/terminal_text.h"
#include "version.h"

namespace {

std::string exit_codes() {
  std::string text;
  for (const auto& [code, meaning] : a3sim::kExitCodes)
    text += fmt::format("  {:<4} {}\n", static_cast<int>(code), meaning);
  return text;
}

// What happens goes to stderr, and only if it is asked for.
void log_to_stderr() {
  auto logger = spdlog::stderr_logger_mt("a3sim");
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

void be_quiet() {
  spdlog::set_level(spdlog::level::err);
  a3sim::Progress::show(nullptr);
}

// Whether stderr takes it does not matter: the exit code says the same.
int fail(const a3sim::Error& error) {
  std::fputs((a3sim::terminal_text(error.what()) + '\n').c_str(), stderr);
  return static_cast<int>(error.code());
}

void flush_stdout() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0) throw a3sim::RunError("cannot write to standard output");
}

int end_of_parsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0)
    return fail(a3sim::InputError(fmt::format("{}\nRun with --help for more information.", error.what())));
  try {
    app.exit(error);  // prints --help, --version
    flush_stdout();
  } catch (...) {
    return fail(a3sim::error_of(std::current_exception()));
  }
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Discrete-event simulator of Mixture-of-Experts training on Ascend A3 NPUs", "a3sim");
  app.set_version_flag("--version",
                       fmt::format("a3sim {} ({}, {})", a3sim::kVersion, a3sim::kGitHash, a3sim::kCompiler));
  app.add_flag_callback(
      "-v,--verbose", [] { spdlog::set_level(spdlog::level::debug); },
      "say what is done, and how long it takes, on stderr");
  app.add_flag_callback("-q,--quiet", be_quiet, "no progress, notes or warnings on stderr; errors stay");
  app.require_subcommand(1);
  app.fallthrough();  // these may stand behind the command too
  app.footer(a3sim::help_of("a3sim", exit_codes()));
  for (const auto& [name, item] : a3sim::Commands::all()) {
    item.object->set_up(*app.add_subcommand(name, item.description));
  }
  a3sim::check_values(app);
  try {
    const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
    if (const std::string wrong = a3sim::unknown_words(app, words.subspan(words.empty() ? 0 : 1));
        !wrong.empty())
      throw a3sim::InputError(wrong);
    app.parse(argc, argv);
    flush_stdout();
  } catch (const CLI::ParseError& error) {
    return end_of_parsing(app, error);
  } catch (...) {
    return fail(a3sim::error_of(std::current_exception()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an error that names the file
  log_to_stderr();
  if (isatty(STDERR_FILENO) == 1) a3sim::Progress::show(stderr);
  return run(argc, argv);
}
