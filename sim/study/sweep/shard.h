#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

// A part of a sweep for one of many machines: of its points, numbered in the sweep's order, those that leave
// `index` when divided by `count`.
struct Shard {
  std::uint64_t index = 0, count = 1;
  bool has(std::uint64_t number) const { return number % count == index; }
};

inline constexpr std::uint64_t kMostShards = 100'000;

// "0/8" to "7/8". Throws InputError.
Shard parse_shard(std::string_view text);

// What a cluster's scheduler tells a job about its place among its equals.
struct JobPlace {
  Shard shard;
  std::string told_by;  // "Slurm's array task 3 of 8"
};

// A variable of the environment; nothing where it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

// The place of a Slurm array task, of a rank that mpirun (Open MPI, or one that speaks PMI) has started, or
// of a rank inside an array task; none elsewhere. Throws InputError for variables that contradict each other.
std::optional<JobPlace> job_place(const Variables& variable);

// The shard's own database: `all.db` becomes `all.shard-2-of-8.db`. All of a sweep: the file itself.
std::filesystem::path shard_file(const std::filesystem::path& database, const Shard& shard);

}  // namespace a3sim
