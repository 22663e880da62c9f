// Ranks that do alike: as long in each operator, and until the same time, up to a small part.
import type { Tasks } from "./tasks.js";

const small = 0.02;

interface Profile { rank: number; times: Float64Array; all: number; end: number }

function profiles_of(tasks: Tasks): Profile[] {
  const list: Profile[] = [];
  for (let rank = 0; rank < tasks.pass.ranks; ++rank) {
    const times = new Float64Array(tasks.pass.operators.length);
    let all = 0, end = 0;
    for (let task = tasks.first[rank * tasks.workers]!; task < tasks.first[(rank + 1) * tasks.workers]!; ++task) {
      const length = tasks.end[task]! - tasks.start[task]!;
      times[tasks.op[task]!]! += length;
      all += length;
      end = Math.max(end, tasks.end[task]!);
    }
    list.push({ rank, times, all, end });
  }
  return list;
}

const alike = (a: Profile, b: Profile, makespan: number) =>
  Math.abs(a.end - b.end) <= small * makespan && a.times.reduce((sum, time, op) => sum + Math.abs(time - b.times[op]!), 0) <= small * Math.max(a.all, b.all);

// Returns all ranks in groups, each with its slowest rank first; groups by that rank's number.
export function alike_ranks(tasks: Tasks): number[][] {
  const groups: Profile[][] = [];
  for (const profile of profiles_of(tasks).sort((a, b) => b.end - a.end || a.rank - b.rank)) {
    const group = groups.find((of) => alike(of[0]!, profile, tasks.pass.makespan_ps));
    if (group) group.push(profile);
    else groups.push([profile]);
  }
  return groups.map((group) => group.map(({ rank }) => rank)).sort((a, b) => a[0]! - b[0]!);
}
