// What the heads of tables mean that do not say it themselves: shown beside the pointer.
export const head_notes: { [head: string]: string } = {
  "gain at most %": "the part of the latency above the bound: no order and no schedule saves more",
  "bound ms": "a time that no execution of these tasks on this machine can beat",
  "bound by": "the resource of the largest bound",
  "limiter": "the resource of the largest bound",
  "communication ms": "time in which at least one put from or to a rank is under way, mean of the ranks",
  "exposed ms": "the part of the communication during which no matrix product runs on the rank, mean of the ranks",
  "L2 read hits %": "requests that found their line in the L2, of those that do not bypass it",
  "of all %": "the part of the time of all tasks that the table counts, summed over workers",
  "of the area %": "the part of the time of all workers in the area",
  "time ms": "summed over all workers of the ranks that are shown, so it exceeds the pass's latency",
  "ran ms": "summed over all workers",
  "lost %": "the part of the tasks' time beyond what they take alone on the machine",
  "waited ms": "how long workers waited for the inputs of these tasks, summed over workers",
  "waited us": "how long a worker waited for a task's inputs, mean of the tasks",
  "ideal us": "how long a task takes alone on the machine",
  "p95 µs": "19 of 20 tasks are shorter",
};
