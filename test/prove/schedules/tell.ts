// One run, line by line: what happened, what the service knew, what each watch said.
import { codeOf, type Said } from '../shared/watched/listener.ts';
import type { Run } from './run.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

function wordsOf({ isOff, state, isLive, unconfirmed }: Said): string {
  if (isOff) return 'nobody listens';
  const doubt = unconfirmed ? `, unconfirmed ${unconfirmed}` : '';
  return `${state} ${isLive ? 'live' : 'not live'}${doubt}`;
}

function linesOf({ schedule, records, stage, begin }: Run): readonly Line[] {
  const lines: Line[] = [];
  for (const { name, from, to } of schedule.troubles)
    lines.push(
      { at: begin + from, text: `--- ${name} begins` },
      { at: begin + to, text: `--- ${name} ends` },
    );
  for (const { at, act } of schedule.page ?? [])
    lines.push({ at: begin + at, text: `    page: ${act}` });
  const { history } = stage.service;
  for (const [n, states] of [...history.values()].entries())
    for (const { at, state } of states) lines.push({ at, text: `service: invoice ${n}, ${state}` });
  const order = [...history.keys()];
  for (const { name, id, said, ends } of records) {
    const who = `    ${name} (invoice ${order.indexOf(id)})`;
    for (const one of said) lines.push({ at: one.at, text: `${who}: ${wordsOf(one)}` });
    const error = ends?.error === undefined ? '' : codeOf(ends.error);
    if (ends) lines.push({ at: ends.at, text: `${who}: ${ends.how} ${error}` });
  }
  return lines.toSorted((a, b) => a.at - b.at);
}

/** Prints a run; of requests only how many there were between two lines. */
export function tell(run: Run): void {
  let last = -Infinity;
  for (const { at, text } of linesOf(run)) {
    const sent = run.stage.network.log.filter((one) => one.at >= last && one.at < at);
    if (sent.length > 0) console.log(`${' '.repeat(14)}${sent.length} requests`);
    console.log(`${`${((at - run.begin) / 1_000).toFixed(1)} s`.padStart(11)}  ${text}`);
    last = at;
  }
  console.log(`seed ${run.seed}: ${run.faults.join('\n  ') || 'all is well'}`);
}
