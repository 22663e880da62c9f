#include "sim/experiment/launch/launch_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "sim/core/config/foreign.h"
#include "sim/experiment/launch/fsdp_yaml.h"
#include "sim/experiment/launch/launch_reader.h"
#include "sim/experiment/launch/shell.h"

namespace a3sim {
namespace {

bool is_argument(const ShellWord& word) {
  return word.text.size() > 2 && word.text.starts_with("--") &&
         std::isalpha(static_cast<unsigned char>(word.text[2])) != 0;
}

// Returns the name that Megatron's and the launchers' parsers give an argument, which take either kind of dash.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  std::ranges::replace(plain, '_', '-');
  return plain;
}

class ScriptReader {
 public:
  ScriptReader(std::string_view text, const Mark& start, Diagnostics& diagnostics)
      : file_(start.file), shell_(read_shell(text, start.file, diagnostics)), diagnostics_(diagnostics) {}

  LaunchScript read() {
    LaunchScript script;
    for (const ShellGap& gap : shell_.gaps) script.gaps.emplace_back(mark(gap.place), gap.what);
    const ShellCommand* const training = training_command();
    if (!diagnostics_.empty()) return script;
    if (training == nullptr) {
      diagnostics_.error(
          {file_, 0, 0}, "",
          "no command of the script trains a model: expected one such as 'torchrun ... pretrain_gpt.py "
          "--num-layers 48 ...'");
      return script;
    }
    if (training->conditional)
      script.gaps.emplace_back(mark(training->words.front().begin()),
                               "the condition under which the training runs");
    add_arguments(*training, script);
    LaunchReader reader(script, {file_, 0, 0}, diagnostics_);
    reader.set("model.name", std::filesystem::path(file_).stem().string(), reader.start());
    read_megatron_model(reader, read_megatron_layout(reader));
    read_megatron_step(reader);
    for (const auto& [where, what] : script.gaps)
      if (what.find("arguments") != std::string::npos)
        reader.note(fmt::format("{} (line {}) are not followed", what, where.line), where);
    reader.finish();
    if (!diagnostics_.empty()) script.config = nullptr;
    return script;
  }

 private:
  Mark mark(std::uint32_t place) const { return shell_.mark(file_, place); }

  static bool trains(const ShellCommand& command) {
    bool program = false;
    for (const ShellWord& word : command.words) {
      program = program || word.text.ends_with(".py");
      if (!program || !is_argument(word)) continue;
      for (const std::string_view name :
           {"--num-layers", "--tensor-model-parallel-size", "--micro-batch-size", "--seq-length"})
        if (plain_name(word.text).starts_with(name)) return true;
    }
    return false;
  }

  const ShellCommand* training_command() {
    const ShellCommand* found = nullptr;
    for (const ShellCommand& command : shell_.commands) {
      if (!trains(command)) continue;
      if (found != nullptr && !found->conditional && !command.conditional)
        diagnostics_.error(
            mark(command.words.front().begin()), "",
            fmt::format("a second command that trains a model, beside the one in line {}: expected one",
                        mark(found->words.front().begin()).line));
      if (found == nullptr || found->conditional) found = &command;
    }
    return found;
  }

  void add_arguments(const ShellCommand& command, LaunchScript& script) {
    for (const ShellWord& word : command.words) {
      const bool group = word.text.empty() && word.unknown.find("ARG") != std::string::npos;
      if (group) {
        script.gaps.emplace_back(mark(word.begin()), fmt::format("{}: the arguments in it", word.unknown));
      } else if (is_argument(word)) {
        add_argument(word, script);
      } else if (!script.arguments.empty() && !word.text.ends_with(".py")) {
        script.arguments.back().values.push_back({word.text, mark(word.begin()), word.unknown});
      }
    }
  }

  void add_argument(const ShellWord& word, LaunchScript& script) {
    const std::size_t equals = std::min(word.text.size(), word.text.find('='));
    LaunchArgument& argument = script.arguments.emplace_back();
    const std::string name = plain_name(std::string_view(word.text).substr(2, equals - 2));
    argument.name = "--" + name;
    argument.mark = mark(word.begin());
    if (equals < word.text.size()) {
      const bool ends = equals + 1 == word.text.size();
      argument.values.push_back(
          {word.text.substr(equals + 1), mark(word.places[ends ? equals : equals + 1]), word.unknown});
    }
    if (const KnownArgument* const known = known_argument(name)) {
      argument.fate = known->fate;
      argument.what = known->what;
    }
  }

  std::string file_;
  ShellScript shell_;
  Diagnostics& diagnostics_;
};

class LaunchScriptConfig final : public ForeignConfig {
 public:
  bool takes(const std::filesystem::path& file, std::string_view text) const override {
    return is_launch_script(file.string(), text);
  }
  bool trains() const override { return true; }
  std::unique_ptr<ConfigValue> read(std::string_view text, const Mark& start,
                                    Diagnostics& diagnostics) const override {
    return read_launch_script(text, start, diagnostics).config;
  }
};

A3SIM_REGISTER(ForeignConfig, "launch_script", "a launch script of Megatron or MindSpeed",
               LaunchScriptConfig);

}  // namespace

bool is_launch_script(std::string_view file, std::string_view text) {
  return file.ends_with(".sh") || file.ends_with(".bash") || text.starts_with("#!/bin/bash") ||
         text.starts_with("#!/usr/bin/env bash") || text.starts_with("#!/bin/sh") || is_fsdp_yaml(file, text);
}

LaunchScript read_launch_script(std::string_view text, const Mark& start, Diagnostics& diagnostics) {
  if (is_fsdp_yaml(start.file, text)) return read_fsdp_yaml(text, start, diagnostics);
  return ScriptReader(text, start, diagnostics).read();
}

}  // namespace a3sim
