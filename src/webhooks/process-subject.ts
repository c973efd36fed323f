import { internals } from '../core/http/index.ts';
import type { Commit, Lease } from '../stores/inbox-store.ts';
import { readSubject } from './read-subject.ts';
import { runJob } from './run-job.ts';
import { nextReadAt } from './settle-rules.ts';
import type { Setup } from './setup.ts';
import {
  nameOf,
  type ParsedEvent,
  parseEvent,
  type SubjectState,
  subjectStateOf,
} from './subject-state.ts';

/**
 * Processes one subject as far as possible now: reads, then runs the jobs that are due. Each step
 * is written before the next.
 */
export async function processSubject<Tx>(setup: Setup<Tx>, lease: Lease): Promise<void> {
  const { clock } = setup.client[internals];
  const events = lease.events.map(parseEvent);
  let state = withRedeliveries(subjectStateOf(lease.state), events, clock.now());
  if (nextReadAt(state, events, clock.now()) <= clock.now())
    state = await readSubject(setup, lease.subject, state, events);
  for (let [job] = state.jobs; job && job.due <= clock.now(); [job] = state.jobs) {
    const next = await runJob(setup, lease, state, job);
    if (!next) return; // a later lease has begun
    state = next;
  }
  await setup.store.commit(lease, commitOf(state, events, clock.now()));
}

/** Puts the jobs of redelivered dead letters before all others. */
function withRedeliveries(
  state: SubjectState,
  events: readonly ParsedEvent[],
  now: number,
): SubjectState {
  const again = events.filter((event) => event.job && !state.settled.includes(nameOf(event)));
  return {
    ...state,
    jobs: [...again.map(({ job }) => ({ ...job!, since: now, due: now })), ...state.jobs],
    settled: [...state.settled, ...again.map(nameOf)],
  };
}

/** The last commit of a lease: events are done when no job of theirs is left. */
function commitOf(state: SubjectState, events: readonly ParsedEvent[], now: number): Commit {
  const earliest = Math.min(nextReadAt(state, events, now), state.jobs[0]?.due ?? Infinity);
  const due = Number.isFinite(earliest) ? earliest : undefined;
  if (state.jobs.length > 0) return { state, due };
  const notified = state.notified.filter((name) => state.waiting.includes(name));
  const done = events.filter((event) => state.settled.includes(nameOf(event)));
  return { state: { ...state, settled: [], notified }, done, due };
}
