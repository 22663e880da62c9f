#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace a3sim {

// What holds for every option of every command: a value is not empty, and a number is one as it stands, neither
// negative nor beyond 64 bits.
void check_values(CLI::App& app);

// What is wrong with the words behind the program's name, with what was probably meant: a command or an option that
// there is not. Empty where these are known.
std::string unknown_words(CLI::App& app, std::span<const char* const> words);

}  // namespace a3sim
