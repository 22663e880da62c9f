#include <fmt/format.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_line.h"
#include "sim/cli/help.h"
#include "sim/cli/terminal.h"
#include "sim/core/error.h"
#include "sim/core/message_text.h"
#include "sim/core/progress.h"
#include "version.h"

namespace {

std::string exit_codes() {
  std::string text;
  for (const auto& [code, meaning] : a3sim::kExitCodes)
    text += fmt::format("  {:<4} {}\n", static_cast<int>(code), meaning);
  return text;
}

// Sends messages to stderr: warnings always, progress with --verbose.
void log_to_stderr() {
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
      a3sim::has_colour(stderr) ? spdlog::color_mode::always : spdlog::color_mode::never);
  for (const auto level : {spdlog::level::debug, spdlog::level::info}) sink->set_color(level, "");
  sink->set_color(spdlog::level::warn, sink->yellow);
  auto logger = std::make_shared<spdlog::logger>("a3sim", std::move(sink));
  logger->set_pattern("%^%v%$");
  logger->set_level(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

void be_quiet() {
  spdlog::set_level(spdlog::level::err);
  a3sim::Progress::show(nullptr);
}

// Prints the error and returns its exit code, which is right even if stderr cannot be written.
int fail(const a3sim::Error& error) {
  const std::string text = a3sim::message_text(error.what());
  std::fputs(((a3sim::has_colour(stderr) ? a3sim::shaded(text, a3sim::Shade::kRed) : text) + '\n').c_str(),
             stderr);
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

// 'a3sim help run' is 'a3sim run --help', and no words at all ask for help too.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const bool asks = words.empty() || words.front() == "help";
  if (!words.empty() && asks) words.erase(words.begin());
  if (asks) words.emplace_back("--help");
  return words;
}

int run(int argc, char** argv) {
  CLI::App app("Discrete-event simulator of Mixture-of-Experts training on Ascend A3 NPUs", "a3sim");
  app.formatter(std::make_shared<a3sim::HelpFormatter>());
  app.set_version_flag("-V,--version",
                       fmt::format("a3sim {} ({}, {})", a3sim::kVersion, a3sim::kGitHash, a3sim::kCompiler));
  app.add_flag_callback(
      "-v,--verbose", [] { spdlog::set_level(spdlog::level::debug); },
      "say on stderr what is done, and how long it takes");
  app.add_flag_callback("-q,--quiet", be_quiet, "no progress, notes or warnings on stderr; errors stay");
  app.require_subcommand(1);
  app.fallthrough();  // these may also follow the command
  try {
    const a3sim::CommandLine line(app, words_of(argc, argv));
    app.footer(a3sim::help_of("a3sim", exit_codes()));  // last, because commands would inherit it
    line.check_words();
    if (const std::optional<std::string> help = line.help()) {
      std::cout << a3sim::help_text(*help);
    } else {
      app.parse(argc, argv);
    }
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
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a file-size limit is then an error that names the file
  log_to_stderr();
  if (isatty(STDERR_FILENO) == 1) a3sim::Progress::show(stderr);
  return run(argc, argv);
}
