// Finds tasks by words: "rank 2", "expert 3", "gexpert 19", "AIC 5", a task's number, or part of an operator's name.
import type { Tasks } from "./tasks.js";

type Test = (task: number) => boolean;

export const search_words = "rank 2 · to 3 · expert 3 of its rank · gexpert 19 of all ranks · AIC 5 · GMM1 · a task's number; all that is typed must hold";

// Finds a number in a column. An expert's number on its rank is the remainder of its number over all ranks.
function numbered(tasks: Tasks, name: string, number: number): Test | null {
  const { rank, worker, expert, dst, put_bytes } = tasks.columns;
  switch (name) {
    case "rank": return (i) => rank![i] === number;
    case "to": return (i) => put_bytes![i]! > 0 && dst![i] === number;
    case "gexpert": return (i) => expert![i] === number;
    case "expert": return (i) => expert![i]! >= 0 && tasks.local_expert(expert![i]!) === number;
  }
  if (!tasks.pass.kinds.some((kind) => kind.name.toLowerCase() === name)) return null;
  return (i) => {
    const of = tasks.of_kind(worker![i]!);
    return of.number === number && of.kind.name.toLowerCase() === name;
  };
}

// A word without a number is part of an operator's name, or a kind of worker.
function named(tasks: Tasks, word: string): Test {
  const ops = tasks.pass.operators.map((operator) => operator.name.toLowerCase().includes(word));
  const { worker } = tasks.columns, kinds = tasks.pass.kinds.map((kind) => kind.name.toLowerCase());
  return (i) => ops[tasks.op[i]!]! || (kinds.includes(word) && tasks.of_kind(worker![i]!).kind.name.toLowerCase() === word);
}

function tests_of(tasks: Tasks, words: string[]): Test[] {
  const tests: Test[] = [], { index } = tasks.columns;
  for (let w = 0; w < words.length; ++w) {
    const word = words[w]!, joined = /^([a-z]+)(\d+)$/.exec(word), next = words[w + 1];
    if (/^\d+$/.test(word)) {
      tests.push((i) => index![i] === Number(word));
      continue;
    }
    const apart = next !== undefined && /^\d+$/.test(next) ? numbered(tasks, word, Number(next)) : null;
    if (apart) ++w;
    tests.push(apart ?? (joined ? numbered(tasks, joined[1]!, Number(joined[2]!)) : null) ?? named(tasks, word));
  }
  return tests;
}

// Returns the tasks that match all words, in their order; null if there are no words.
export function search(tasks: Tasks, text: string): Uint32Array | null {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word);
  if (words.length === 0) return null;
  const tests = tests_of(tasks, words), found: number[] = [];
  for (let i = 0; i < tasks.count; ++i) if (tests.every((test) => test(i))) found.push(i);
  return Uint32Array.from(found);
}
