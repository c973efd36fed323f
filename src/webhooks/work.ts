import { internals } from '../core/http/index.ts';
import type { Mark, Work } from '../stores/inbox.ts';
import { nextLook } from './belief.ts';
import { look } from './look.ts';
import { heard, type Heard, type Memo, memoOf, nameOf } from './memo.ts';
import { run } from './run.ts';
import type { Setup } from './setup.ts';

/** Works on one subject as far as it goes now: looks, then runs what is to run. Everything is written down before it counts. */
export async function workOn<Tx>(setup: Setup<Tx>, work: Work): Promise<void> {
  const { clock } = setup.client[internals];
  const arrivals = work.arrivals.map(heard);
  let memo = withReplays(memoOf(work.memo), arrivals, clock.now());
  if (nextLook(memo, arrivals, clock.now()) <= clock.now())
    memo = await look(setup, work.subject, memo, arrivals);
  for (let [task] = memo.tasks; task && task.due <= clock.now(); [task] = memo.tasks) {
    const next = await run(setup, work, memo, task);
    if (!next) return; // somebody else has it now
    memo = next;
  }
  await setup.store.commit(work, markOf(memo, arrivals, clock.now()));
}

/** Puts effects back that somebody wants to run again, before all others. */
function withReplays(memo: Memo, arrivals: readonly Heard[], now: number): Memo {
  const again = arrivals.filter(
    (arrival) => arrival.task && !memo.believed.includes(nameOf(arrival)),
  );
  return {
    ...memo,
    tasks: [...again.map(({ task }) => ({ ...task!, since: now, due: now })), ...memo.tasks],
    believed: [...memo.believed, ...again.map(nameOf)],
  };
}

/** What the last commit writes: arrivals are done when nothing that they caused is left to do. */
function markOf(memo: Memo, arrivals: readonly Heard[], now: number): Mark {
  const due = Math.min(nextLook(memo, arrivals, now), memo.tasks[0]?.due ?? Infinity);
  const next = Number.isFinite(due) ? due : undefined;
  if (memo.tasks.length > 0) return { memo, due: next };
  const told = memo.told.filter((name) => memo.waiting.includes(name));
  const done = arrivals.filter((arrival) => memo.believed.includes(nameOf(arrival)));
  return { memo: { ...memo, believed: [], told }, done, due: next };
}
