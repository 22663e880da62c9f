#include "sim/diagnosis/observe/job_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/json_error.h"
#include "sim/core/open_file.h"

namespace a3sim {
namespace {

using nlohmann::json;
constexpr int kFormat = 1;
constexpr std::uintmax_t kMostOfJson = std::uintmax_t{64} << 20;

json plane_json(const ObservedPlane& plane) {
  return {{"name", plane.name},
          {"port_bytes_per_s", plane.port},
          {"worker_bytes_per_s", plane.worker},
          {"startup_ps", plane.startup.count()},
          {"alignment", plane.alignment}};
}

ObservedPlane plane_of(const json& entry) {
  ObservedPlane plane;
  plane.name = entry.at("name").get<std::string>();
  plane.port = entry.at("port_bytes_per_s").get<double>();
  plane.worker = entry.at("worker_bytes_per_s").get<double>();
  plane.startup = Duration(entry.at("startup_ps").get<std::int64_t>());
  plane.alignment = entry.at("alignment").get<double>();
  return plane;
}

json cables_json(const ObservedCables& cables) {
  json ways = json::array();
  for (const ObservedCables::Way& way : cables.ways) ways.push_back({way.src, way.dst, way.part});
  return {{"names", cables.names}, {"ways", ways}};
}

ObservedCables cables_of(const json& entry) {
  ObservedCables cables{entry.at("names").get<std::vector<std::string>>(), {}};
  for (const json& way : entry.at("ways"))
    cables.ways.push_back(
        {way.at(0).get<std::uint32_t>(), way.at(1).get<std::uint32_t>(), way.at(2).get<double>()});
  return cables;
}

JobFile job_of(const json& entry) {
  if (entry.at("format").get<int>() != kFormat)
    throw InputError("is of another format than this a3sim reads");
  JobFile job;
  job.name = entry.at("name").get<std::string>();
  job.version = entry.at("a3sim").get<std::string>();
  job.ranks = entry.at("ranks").get<std::uint32_t>();
  job.steps = entry.at("steps").get<std::uint32_t>();
  job.passes = entry.at("passes").get<std::vector<std::string>>();
  job.names = entry.at("operators").get<std::vector<std::string>>();
  job.groups = entry.at("groups").get<std::vector<std::vector<std::uint32_t>>>();
  job.nodes = entry.at("nodes").get<std::vector<std::uint32_t>>();
  const json& machine = entry.at("machine");
  job.machine.aic = machine.at("aic").get<std::uint32_t>();
  job.machine.aiv = machine.at("aiv").get<std::uint32_t>();
  job.machine.cube_rate = machine.at("cube_operations_per_s").get<double>();
  job.machine.vector_rate = machine.at("vector_operations_per_s").get<double>();
  job.machine.hbm_read = machine.at("hbm_bytes_per_s").get<double>();
  job.machine.l2_read = machine.at("l2_bytes_per_s").get<double>();
  job.machine.clock = machine.value("clock_hz", 0.0);
  for (const json& plane : machine.at("planes")) job.machine.planes.push_back(plane_of(plane));
  for (const json& cables : entry.value("cables", json::array())) job.cables.push_back(cables_of(cables));
  for (const json& full : entry.at("full"))
    job.full.push_back(
        {full.at("step").get<std::uint32_t>(), full.at("ranks").get<std::vector<std::uint32_t>>()});
  return job;
}

void check(const JobFile& job) {
  const auto in_job = [&](const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t rank : ranks)
      if (rank >= job.ranks)
        throw InputError(fmt::format("names rank {}, but the job has {}", rank, job.ranks));
  };
  if (job.ranks == 0 || job.passes.empty() || job.groups.empty())
    throw InputError("names no ranks, no passes or no groups");
  if (job.nodes.size() != job.ranks)
    throw InputError(fmt::format("has {} ranks, but nodes of {}", job.ranks, job.nodes.size()));
  for (const auto& group : job.groups) in_job(group);
  for (const ObservedCables& cables : job.cables) {
    for (const ObservedCables::Way& way : cables.ways) {
      in_job({way.src, way.dst});
      if (!(way.part > 0 && way.part <= 1))
        throw InputError(
            fmt::format("cables: a part of {} of what goes from rank {} to rank {}, expected one above 0, at "
                        "most 1",
                        way.part, way.src, way.dst));
    }
    if (cables.names.empty()) throw InputError("cables: an entry without names");
  }
  for (std::size_t i = 0; i < job.full.size(); ++i) {
    in_job(job.full[i].ranks);
    if (job.full[i].step >= job.steps || (i > 0 && job.full[i].step <= job.full[i - 1].step))
      throw InputError(
          fmt::format("step {} of those in full is out of order or beyond the last", job.full[i].step));
  }
}

}  // namespace

std::string full_folder(std::uint32_t step) { return fmt::format("full/{}", step); }

std::string job_json(const JobFile& job) {
  json planes = json::array(), full = json::array();
  for (const ObservedPlane& plane : job.machine.planes) planes.push_back(plane_json(plane));
  for (const JobFile::Full& full_step : job.full)
    full.push_back({{"step", full_step.step}, {"ranks", full_step.ranks}});
  json all{{"format", kFormat},
           {"name", job.name},
           {"a3sim", job.version},
           {"ranks", job.ranks},
           {"steps", job.steps},
           {"passes", job.passes},
           {"operators", job.names},
           {"groups", job.groups},
           {"nodes", job.nodes},
           {"machine",
            {{"aic", job.machine.aic},
             {"aiv", job.machine.aiv},
             {"cube_operations_per_s", job.machine.cube_rate},
             {"vector_operations_per_s", job.machine.vector_rate},
             {"hbm_bytes_per_s", job.machine.hbm_read},
             {"l2_bytes_per_s", job.machine.l2_read},
             {"clock_hz", job.machine.clock},
             {"planes", planes}}},
           {"full", full}};
  if (!job.cables.empty()) {
    json& cables = all["cables"] = json::array();
    for (const ObservedCables& alike : job.cables) cables.push_back(cables_json(alike));
  }
  return all.dump(1) + "\n";
}

JobFile read_job_json(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError(path.string() + ": cannot be read; 'a3sim run --steps' writes it");
  if (size > kMostOfJson) throw InputError(path.string() + ": is larger than 64 MiB");
  std::ifstream in = open_file(path);
  try {
    const JobFile job = job_of(json::parse(in));
    check(job);
    return job;
  } catch (const json::exception& e) {
    throw json_error(path.string(), e);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path.string(), e.what()));
  }
}

}  // namespace a3sim
