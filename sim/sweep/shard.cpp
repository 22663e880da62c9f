#include "sim/sweep/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "sim/core/error.h"

namespace a3sim {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_in(const Variables& variable, const char* name) {
  const std::optional<std::string> text = variable(name);
  if (!text) return std::nullopt;
  const std::optional<std::uint64_t> number = whole_number(*text);
  if (!number) throw InputError(fmt::format("{}='{}' in the environment: expected a number", name, *text));
  return number;
}

void check_place(const Shard& shard, const char* what) {
  if (shard.index >= shard.count || shard.count > kMostShards)
    throw InputError(
        fmt::format("the environment says {} {} of {}: give --shard", what, shard.index, shard.count));
}

// Handles arrays that do not begin at 0, or do not count by 1.
std::optional<Shard> array_task(const Variables& variable) {
  const auto id = number_in(variable, "SLURM_ARRAY_TASK_ID"),
             count = number_in(variable, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const std::uint64_t first = number_in(variable, "SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::uint64_t step = number_in(variable, "SLURM_ARRAY_TASK_STEP").value_or(1);
  if (step == 0 || *id < first || (*id - first) % step != 0)
    throw InputError(fmt::format("the environment says array task {}, of {} from {} by {}: give --shard", *id,
                                 *count, first, step));
  const Shard shard{(*id - first) / step, *count};
  check_place(shard, "array task");
  return shard;
}

std::optional<Shard> rank_of_job(const Variables& variable) {
  constexpr std::pair<const char*, const char*> kNames[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                            {"PMI_RANK", "PMI_SIZE"}};
  for (const auto& [rank, size] : kNames) {
    const auto index = number_in(variable, rank), count = number_in(variable, size);
    if (!index || !count) continue;
    const Shard shard{*index, *count};
    check_place(shard, "rank");
    return shard;
  }
  return std::nullopt;
}

}  // namespace

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = whole_number(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : whole_number(text.substr(slash + 1));
  if (!index || !count || *count == 0 || *count > kMostShards || *index >= *count) {
    throw InputError(
        fmt::format("--shard: '{}', expected I/N with I from 0 to N - 1, N at most {}: 0/8 to 7/8 are eight",
                    text, kMostShards));
  }
  return {*index, *count};
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<JobPlace> job_place(const Variables& variable) {
  const std::optional<Shard> task = array_task(variable), rank = rank_of_job(variable);
  if (task && rank) {
    const Shard both{task->index * rank->count + rank->index, task->count * rank->count};
    check_place(both, "place");
    return JobPlace{both, fmt::format("rank {} of {} in Slurm's array task {} of {}", rank->index,
                                      rank->count, task->index, task->count)};
  }
  if (task) return JobPlace{*task, fmt::format("Slurm's array task {} of {}", task->index, task->count)};
  if (rank) return JobPlace{*rank, fmt::format("rank {} of {}", rank->index, rank->count)};
  return std::nullopt;
}

std::filesystem::path shard_file(const std::filesystem::path& database, const Shard& shard) {
  if (shard.count == 1) return database;
  std::filesystem::path file = database;
  return file.replace_filename(fmt::format("{}.shard-{}-of-{}{}", database.stem().string(), shard.index,
                                           shard.count, database.extension().string()));
}

}  // namespace a3sim
