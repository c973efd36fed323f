import type { Commit, Lease } from '../stores/inbox-store.ts';
import { nextReadAt } from './settle-rules.ts';
import { readSubject } from './read-subject.ts';
import {
  parseEvent,
  type ParsedEvent,
  type SubjectState,
  subjectStateOf,
  nameOf,
} from './subject-state.ts';
import { runJob } from './run-job.ts';
import type { Setup } from './setup.ts';

/** Works on one subject as far as it goes now: looks, then runs what is to run. Everything is written down before it counts. */
export async function processSubject<Tx>(setup: Setup<Tx>, work: Lease): Promise<void> {
  const { clock } = setup.client;
  const arrivals = work.events.map(parseEvent);
  let memo = withReplays(subjectStateOf(work.state), arrivals, clock.now());
  if (nextReadAt(memo, arrivals, clock.now()) <= clock.now())
    memo = await readSubject(setup, work.subject, memo, arrivals);
  for (let [task] = memo.jobs; task && task.due <= clock.now(); [task] = memo.jobs) {
    const next = await runJob(setup, work, memo, task);
    if (!next) return; // somebody else has it now
    memo = next;
  }
  await setup.store.commit(work, markOf(memo, arrivals, clock.now()));
}

/** Puts effects back that somebody wants to run again, before all others. */
function withReplays(
  memo: SubjectState,
  arrivals: readonly ParsedEvent[],
  now: number,
): SubjectState {
  const again = arrivals.filter(
    (arrival) => arrival.job && !memo.settled.includes(nameOf(arrival)),
  );
  return {
    ...memo,
    jobs: [...again.map(({ job: task }) => ({ ...task!, since: now, due: now })), ...memo.jobs],
    settled: [...memo.settled, ...again.map(nameOf)],
  };
}

/** What the last commit writes: arrivals are done when nothing that they caused is left to do. */
function markOf(memo: SubjectState, arrivals: readonly ParsedEvent[], now: number): Commit {
  const due = Math.min(nextReadAt(memo, arrivals, now), memo.jobs[0]?.due ?? Infinity);
  const next = Number.isFinite(due) ? due : undefined;
  if (memo.jobs.length > 0) return { state: memo, due: next };
  const told = memo.notified.filter((name) => memo.waiting.includes(name));
  const done = arrivals.filter((arrival) => memo.settled.includes(nameOf(arrival)));
  return { state: { ...memo, believed: [], told }, done, due: next };
}
