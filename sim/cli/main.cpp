#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/command.h"
#include "sim/core/closest.h"
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

std::string empty_value(const std::string& text) {
  return text.empty() ? "an empty value, expected one" : "";
}

std::string wrong_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return "";
  return fmt::format("'{}', expected a whole number from 0{}", text,
                     error == std::errc::result_out_of_range ? " that fits into 64 bits" : "");
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

void add_options(CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (CLI::App* command : commands_of(app)) add_options(*command, names);
}

CLI::App* command_named(CLI::App& app, std::string_view name) {
  const std::vector<CLI::App*> all = commands_of(app);
  const auto found =
      std::ranges::find(all, name, [](const CLI::App* command) { return command->get_name(); });
  return found == all.end() ? nullptr : *found;
}

std::string unknown_command(CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return fmt::format("unknown command '{}'{}", word, a3sim::suggestion(word, names));
}

// What holds for every option of every command: a value is not empty, and a number is one as it stands, neither
// negative nor beyond 64 bits.
void check_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_min() == 0) continue;  // flags, and what may stand without a value
    option->check(empty_value);
    if (option->get_type_name().starts_with("UINT")) option->check(wrong_number);
  }
  for (CLI::App* command : commands_of(app)) check_values(*command);
}

// What is wrong with the words behind the program's name, with what was probably meant: a command or an option that
// there is not. Empty where these are known.
std::string unknown_words(CLI::App& app, std::span<const char* const> words) {
  CLI::App* command = nullptr;
  std::vector<std::string> options;
  for (const std::string_view word : words) {
    if (word == "--") return "";
    if (!command && !word.starts_with('-')) {
      command = command_named(app, word);
      if (!command) return unknown_command(app, word);
      add_options(*command, options);
      for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
      }
    } else if (command && word.starts_with("--")) {
      const std::string_view name = word.substr(0, word.find('='));
      if (std::ranges::find(options, name) != options.end()) continue;
      const std::string_view near = a3sim::closest(name, options);
      return fmt::format("unknown option '{}' of '{}'; {}", name, command->get_name(),
                         near.empty() ? "--help lists them" : fmt::format("did you mean '{}'?", near));
    }
  }
  return "";
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
  check_values(app);
  try {
    const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
    if (const std::string wrong = unknown_words(app, words.subspan(words.empty() ? 0 : 1)); !wrong.empty())
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
