#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

// A part of a sweep for one of several machines. It has the points, numbered in the sweep's order, whose
// number modulo `count` is `index`.
struct Shard {
  std::uint64_t index = 0, count = 1;
  bool has(std::uint64_t number) const { return number % count == index; }
};

inline constexpr std::uint64_t kMostShards = 100'000;

// Parses "0/8" to "7/8". Throws InputError.
Shard parse_shard(std::string_view text);

// The place of a job among those that a cluster's scheduler started together.
struct JobPlace {
  Shard shard;
  std::string told_by;  // "Slurm's array task 3 of 8"
};

// Returns a variable of the environment, or nullopt if it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

// Returns the place of a Slurm array task, of a rank started by mpirun (Open MPI, or one that speaks PMI),
// or of a rank inside an array task; nullopt elsewhere. Throws InputError if the variables contradict each
// other.
std::optional<JobPlace> job_place(const Variables& variable);

// Returns the shard's own database: `all.shard-2-of-8.db` for `all.db`. The file itself if there is one
// shard.
std::filesystem::path shard_file(const std::filesystem::path& database, const Shard& shard);

}  // namespace a3sim
