#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace a3sim {

// `--name THEIRS=OURS`: what a profile calls an operator, and what a run does.
void add_names(CLI::App& app, std::vector<std::string>& names);

// Throws InputError for what is no such pair.
std::map<std::string, std::string, std::less<>> name_map(const std::vector<std::string>& names);

}  // namespace a3sim
