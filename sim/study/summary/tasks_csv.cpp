#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "sim/study/summary/report.h"
#include "traces/report/table.h"

namespace a3sim {

std::string tasks_csv(const PassResult& pass) {
  std::string csv =
      "rank,task,operator,index,expert,src,dst,worker,taken_ps,start_ps,end_ps,ideal_ps,lost_l2_read_ps,"
      "lost_l2_write_ps,lost_hbm_ps,lost_link_ps,lost_miss_ps,l2_read_hit,l2_read_miss,l2_write_hit,"
      "l2_write_miss,hbm_read_bytes,hbm_write_bytes,queue,dependent_event,trigger_rank,trigger_event,"
      "done_ps,visible_ps,arithmetic_ps,operations,put_bytes\n";
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    std::vector<std::string> names, queues;
    for (const WorkerKind& kind : ssc.kinds()) queues.push_back(kind.queue());
    for (const OperatorInfo& op : ssc.operators()) names.push_back(csv_cell(op.name));
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      const TaskRecord& record = pass.run.ranks[r].records[t];
      const auto since_start = [](Time time) { return time.time_since_epoch().count(); };
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{}", r, t, names[td.op],
                     td.task_index, td.expert == kNoExpert ? "" : std::to_string(td.gexpert), td.src, td.dst,
                     record.worker, since_start(record.taken), since_start(record.start),
                     since_start(record.end), record.ideal.count());
      for (const Duration lost : record.lost) fmt::format_to(std::back_inserter(csv), ",{}", lost.count());
      const L2Traffic& l2 = record.l2;
      fmt::format_to(std::back_inserter(csv), ",{},{},{},{},{},{}", l2.read.hit, l2.read.miss, l2.write.hit,
                     l2.write.miss, l2.hbm_read, l2.hbm_write);
      fmt::format_to(std::back_inserter(csv), ",{},{},{},{},{},{},{},{},{}\n", queues[td.queue_type],
                     td.dependent_event == kNone ? "" : std::to_string(td.dependent_event), td.trigger_rank,
                     td.trigger_event, since_start(record.done), since_start(record.visible),
                     record.arithmetic.count(), record.operations, record.put_bytes);
    }
  }
  return csv;
}

}  // namespace a3sim
