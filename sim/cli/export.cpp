#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "scheduler/runtime_files/runtime_schedule.h"
#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/profile_input.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_first.h"
#include "sim/cli/schedules.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/result/saved_run.h"
#include "traces/formats/gzip.h"
#include "traces/formats/trace_format.h"
#include "traces/import/imported_timeline.h"
#include "traces/import/profiled_job.h"

namespace a3sim {
namespace {

struct ExportOptions {
  std::string directory, pass, format = "perfetto", output;
  ScheduleOption schedules;
};

std::string formats() {
  std::string text = "the format:";
  for (const auto& [name, item] : TraceFormats::all())
    text += fmt::format("\n{}: {}", name, item.description);
  return text + "\nhtml: a page to look at, of several results too ('a3sim export --to html --help')";
}

void write_files(const std::vector<OutputFile>& files, const std::string& output) {
  if (files.size() == 1 && files.front().path.empty()) {
    const std::string& text = files.front().contents;
    write_file_atomically(output, output.ends_with(".gz") ? gzip(text) : text);
    return;
  }
  ResultDirectory directory(output, "export");
  for (const OutputFile& file : files) directory.add(file.path, file.contents);
  directory.commit();
}

void export_job(const TraceFormat& format, const ExportOptions& options) {
  if (!options.pass.empty()) throw InputError("--pass: a job's steps are exported whole");
  // Records of a job are checked while they are read. No other file has to exist, not even the injected
  // faults.
  const FileObservation job(options.directory);
  write_files(format.write_job(job), options.output);
}

// Exports the steps of a profile, from its directories or as 'a3sim import -o' kept them.
void export_profile(const TraceFormat& format, const ExportOptions& options, const std::string& kind) {
  if (!options.pass.empty()) throw InputError("--pass: a profile's steps are exported whole");
  if (kind != "import") return write_files(format.write_job(ProfiledJob(options.directory)), options.output);
  check_result(options.directory, "import");
  if (options.format == "ascend")
    throw InputError("--to ascend: the profile that was imported has that format");
  const std::filesystem::path kernels = std::filesystem::path(options.directory) / kKernelsCsv;
  if (!std::filesystem::exists(kernels))
    throw InputError(fmt::format("{}: the imported profile had no kernels with times", options.directory));
  write_files(format.write_job(ImportedTimeline(kernels)), options.output);
}

// Exports schedules, compiled ones or those of a configuration, as the public runtime's files: one folder per
// pass, one file per rank.
void export_runtime_files(const ScheduleOption& schedules, const std::string& directory) {
  const std::vector<NamedSchedule> passes = schedules.load();
  ResultDirectory result(directory, "export");
  for (const NamedSchedule& pass : passes) {
    for (const Ssc& ssc : pass.schedule) {
      result.add(fmt::format("{}/runtime_config_rank_{}.bin", pass.name, index(ssc.rank())),
                 write_runtime_config(runtime_config_of(ssc)));
    }
    std::cout << fmt::format("{}: {} files\n", pass.name, pass.schedule.size());
  }
  result.commit();
}

void export_run(const ExportOptions& asked) {
  ExportOptions options = asked;
  if (options.directory.empty() == options.schedules.arguments.empty())
    throw InputError("give one of the two: a RESULT, or --runtime-config with schedules");
  if (!options.schedules.arguments.empty()) return export_runtime_files(options.schedules, options.output);
  if (!options.schedules.order.empty()) throw InputError("--order goes with --runtime-config CONFIG");
  const TraceFormat& format = TraceFormats::get(options.format);
  for (const char* ending : {".csv", ".json", ".md", ".txt"}) {
    if (options.format == "perfetto" && options.output.ends_with(ending))
      throw InputError(
          fmt::format("{}: a trace for Perfetto does not end in {}, expected a name such as run.pftrace; "
                      "tables as CSV and JSON lie in "
                      "the result itself, and --to names the other formats",
                      options.output, ending));
  }
  const GivenResult given(options.directory, options.schedules.set, ThreadsOption().count);
  check_set(options.schedules.set, given.was_run());
  options.directory = given.directory();
  const std::string kind = kind_of_result(options.directory);
  if (kind == "monitor") return export_job(format, options);
  if (is_profile(options.directory)) return export_profile(format, options, kind);
  check_result(options.directory, "run");
  const SavedRun run = read_run(options.directory, options.pass);
  std::uint64_t tasks = 0;
  for (const TracedPass& pass : run.passes) {
    const TraceMachine& machine = pass.trace.machine;  // a track takes as much memory as a task
    for (const std::vector<TraceTask>& rank : pass.trace.ranks)
      tasks += rank.size() + machine.workers.workers();
  }
  if (tasks > format.most_tasks()) {
    throw InputError(fmt::format("{}: {} tasks, and what reads '{}' opens at most {}; export one --pass{}",
                                 options.directory, tasks, options.format, format.most_tasks(),
                                 options.format == "perfetto" ? "" : ", or --to perfetto"));
  }
  write_files(format.write(run.passes), options.output);
}

void add_export_options(CLI::App& app, ExportOptions& options) {
  app.add_option(
      "RESULT", options.directory,
      "an experiment, which is run first; or a directory that 'a3sim run CONFIG --trace -o', 'a3sim run "
      "--steps N -o' or 'a3sim import -o' wrote, or a profiler's");
  CLI::Option* const schedules = app.add_option(
      "--runtime-config", options.schedules.arguments,
      "instead: an experiment, or compiled schedules, as schedule files of the public runtime");
  take_shipped_too(schedules->type_name("CONFIG|SSC"), "experiments");
  options.schedules.add_set_to(app);
  options.schedules.add_order_to(app);
  app.add_option("--to", options.format, formats())->type_name("FORMAT")->capture_default_str();
  app.add_option("--pass", options.pass, "only this pass: forward, backward, …");
  app.add_option("-o,--output", options.output, "the file, or the directory")->type_name("PATH")->required();
}

A3SIM_REGISTER(Command, "export",
               "Write a run for the tools that show traces, or schedules for the public runtime",
               Command(CommandGroup::kExchange, add_export_options, export_run));

}  // namespace
}  // namespace a3sim
