// The transcript of an intent: what the wire did, and what the SDK said, line by line in the order of time.
import { isPaystateError } from 'paystate';
import type { CallRecord, Intent, Sent } from './intent.ts';
import type { Verdict } from './judge.ts';
import { idIn, nameOf } from './wire.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const short = (text: unknown = ''): string => String(text).slice(0, 8);

function heardOf({ heard }: Sent): string {
  if (heard === undefined) return 'no answer yet';
  if (heard === 'nothing') return 'connection lost';
  const text = heard.text.replace(/\s+/g, ' ').slice(0, 90);
  return `${heard.status} ${heard.isCut ? '(cut) ' : ''}${text}`;
}

function saidOf({ isCut, outcome }: CallRecord): string {
  if (isCut || !outcome) return 'the process ended';
  if (outcome.kind === 'resolved') {
    const { state = '' } = (outcome.value ?? {}) as { readonly state?: string };
    return `resolved ${short(nameOf(outcome.value))} ${state}`;
  }
  const { error } = outcome;
  return isPaystateError(error)
    ? `${error.outcome}, ${error.code}, next ${error.next}`
    : `threw ${error}`;
}

function linesOfRequest(sent: Sent, begin: number): Line[] {
  const { request, process, fault, copies } = sent;
  const about = short(request.thing ?? request.id);
  const heard = `[${fault}] heard: ${heardOf(sent)}`;
  return [
    { at: sent.at, text: `    ${request.kind} ${about} #${process.number} ${heard}` },
    ...copies.map(({ at, status, code = '', json }) => {
      const late = at > sent.at ? ` (sent ${seconds(sent.at - begin)})` : '';
      const what = `${status} ${code} ${short(idIn(json))} ${json?.state ?? ''}`;
      return { at, text: `        service: ${what}${late}` };
    }),
  ];
}

/** Writes the traffic of the wire, line by line. */
export function transcriptOf({
  intent,
  sent,
  begin,
  verdicts,
}: {
  readonly intent: Intent;
  readonly sent: readonly Sent[];
  readonly begin: number;
  readonly verdicts: readonly Verdict[];
}): string {
  const { calls, notes, end } = intent;
  const lines: Line[] = [
    ...calls.map(({ at, name, about }) => ({ at, text: `  ${name} ${short(about)} …` })),
    ...sent.flatMap((one) => linesOfRequest(one, begin)),
    ...calls.map((call) => {
      const mark = verdicts.some((verdict) => verdict.call === call) ? '   <-- wrong' : '';
      const text = `  ${call.name} ${short(call.about)}: ${saidOf(call)}${mark}`;
      return { at: call.until ?? call.at, text };
    }),
    ...notes.map(({ at, text }) => ({ at, text: `  ${text}` })),
  ];
  return [
    ...lines
      .sort((one, other) => one.at - other.at)
      .map(({ at, text }) => `${seconds(at - begin).padStart(11)} ${text}`),
    `            the user: ${end?.said}`,
  ].join('\n');
}
