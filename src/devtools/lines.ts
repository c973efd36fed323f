import type { Next } from '../core/errors/index.ts';
import type { CallDecision } from '../core/http/index.ts';
import { parseJson } from '../core/platform.ts';
import { type Line, make, mark, say } from '../elements/dom.ts';
import { JOURNAL_ROWS, type MoveRow, readView } from '../flows/pay/facts.ts';
import { chooseRules } from '../flows/pay/rules.ts';
import { findRefusal, deriveStatus } from '../flows/pay/truth.ts';
import type { Store } from '../stores/store.ts';
import {
  type InspectedRequest,
  type TimelineEntry,
  describeRequest,
  type InspectedWatch,
} from './inspect-client.ts';

/** Time of day, UTC, to the millisecond. */
function clockText(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

/** A duration in the unit that fits. */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** JSON in lines; any other text as it is. */
function prettyText(text: string): string {
  const json = parseJson(text);
  return json === undefined ? text : JSON.stringify(json, null, 2);
}

/** Joins the texts that are there, with points between. */
export function joinText(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** An address as people read it; as it is where it is not well formed. */
function plainText(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** A line of one thing and what is known of it; `choose` makes its name a button. */
function makeLine(key: string, name: string, facts: string, choose?: () => void): Line {
  return {
    key,
    mark: `${name} ${facts}`,
    make() {
      const head = make(choose ? 'button' : 'span', choose ? 'choose' : 'what', name);
      if (choose) head.onclick = choose;
      return make('li', 'row', head, make('span', 'facts', facts));
    },
    renew: (old) => say(old.lastElementChild!, facts),
  };
}

/** Each watch: state, how old and how far to believe, the plan, and the next read. */
export function watchLines(
  watches: readonly InspectedWatch[],
  now: number,
  choose: (id: string) => void,
): readonly Line[] {
  return watches.map(({ resource, id, state, freshness, asOf, observers, status }) => {
    const next = status.nextReadAt;
    const facts = joinText(
      state,
      freshness,
      asOf !== undefined && `${spanText(Math.max(0, now - asOf))} old`,
      status.reason,
      next === undefined
        ? 'no read is planned'
        : `next read in ${spanText(Math.max(0, next - now))}`,
      `${observers} listening`,
    );
    return makeLine(`${resource} ${id}`, joinText(resource, id), facts, () => choose(id));
  });
}

/** The history of one resource, in the order of time. */
export function timelineLines(entries: readonly TimelineEntry[]): readonly Line[] {
  const [first] = entries;
  return entries.map(({ at, kind, text }, index) =>
    makeLine(
      `${index} ${at} ${text}`,
      text,
      joinText(clockText(at), `+${spanText(at - first!.at)}`, kind),
    ),
  );
}

/** Each run of the journal: its status, its tries, and why it was refused. */
export function journalLines(rows: readonly MoveRow[]): readonly Line[] {
  return rows.map((row) => {
    const view = readView(row);
    const sends = view.numbers.flatMap((one) => one.sends);
    const last = sends.at(-1);
    const why = view.over?.why ?? findRefusal(view);
    const facts = joinText(
      deriveStatus(view, chooseRules(row.order)),
      `round ${view.round}`,
      sends.length === 1 ? 'sent once' : `sent ${sends.length} times`,
      last &&
        joinText(
          `last try ${clockText(last.at)}: ${last.answer?.how ?? 'open'}`,
          last.answer?.code,
        ),
      view.moved?.id,
      why && `${why.code}: ${why.text}`,
    );
    return makeLine(row.intent, row.intent, facts);
  });
}

/** Each request, the newest first: what it was for, and to unfold, what was sent and what came. */
export function requestLines(requests: readonly InspectedRequest[]): readonly Line[] {
  return [...requests].reverse().map((request) => ({
    key: `${request.number}`,
    mark: `${request.duration} ${request.decision?.kind}`,
    make: () => requestLine(request),
  }));
}

function requestLine(request: InspectedRequest): HTMLElement {
  const { exchange, code, reason, priority, duration, sentAt, decision } = request;
  const { method, path, body, idempotencyKey, response, failure } = exchange;
  const head = mark(make('span', 'what', describeRequest(request)), { 'data-bad': `${!!code}` });
  const took = duration === undefined ? undefined : spanText(duration);
  const facts = joinText(clockText(sentAt), took, `priority ${priority}`, reason);
  return make(
    'li',
    'row',
    make(
      'details',
      'more',
      make('summary', 'head', head, make('span', 'facts', facts)),
      make(
        'p',
        'facts',
        joinText(`${method} ${plainText(path)}`, idempotencyKey && `key ${idempotencyKey}`),
      ),
      ...(decision ? [make('p', 'decision', decisionText(decision))] : []),
      ...makeText('Sent', body),
      ...makeText('Received', response?.body || failure?.message),
    ),
  );
}

function makeText(title: string, text: string | undefined): readonly HTMLElement[] {
  if (!text) return [];
  const named = { tabindex: '0', role: 'group', 'aria-label': title };
  return [make('p', 'name', title), mark(make('pre', 'text', prettyText(text)), named)];
}

/** The caller's act for each next step. */
const STEPS: Readonly<Record<Next, string>> = {
  'fix-input': 'correct what validationErrors names',
  'fix-credential': 'give the right API key: the service refused this one',
  retry: 'make the same request again',
  wait: 'wait until retryAt, then make the same request again',
  'read-first': 'read what exists before anything else',
  'new-quote': 'make a new quote: this one can no longer be used',
  'ask-user': 'let a person decide: another amount, another way',
  login: 'log in again',
  'get-scope': 'get a credential with the scope that this one lacks',
  stop: 'stop: nothing helps',
};

/** The decision of a call, its reason, and what its caller should do now. */
function decisionText(decision: CallDecision): string {
  const { kind, why, delay = 0, outcome, next, neededScope } = decision;
  if (kind === 'retry') return `The client tries again in ${spanText(delay)}, because of ${why}.`;
  if (kind === 'wait') return `The client waits ${spanText(delay)} for the rate limit (${why}).`;
  if (kind === 'read-first') return `The client reads first what exists, because of ${why}.`;
  const scope = neededScope ? ` (${neededScope})` : '';
  const done = outcome === 'unknown' ? 'It may have been done' : 'Nothing was done';
  return `${done} (${why}). Now: ${STEPS[next ?? 'stop']}${scope}.`;
}

/** Runs that were open at the last search, with their present steps. */
export class JournalRows {
  readonly #store: Store;
  readonly #keys: Set<string> = new Set();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Remembers the runs that are open now; nothing where the store fails. */
  note(): void {
    this.#list().catch(() => {});
  }

  /**
   * Runs that are open, and those that were when this was asked or noted. A store lists only open
   * ones.
   */
  async read(): Promise<readonly MoveRow[]> {
    await this.#list();
    const rows = await Promise.all([...this.#keys].map((key) => this.#store.get(key)));
    return rows.flatMap((row) => (row ? [row.value as MoveRow] : []));
  }

  async #list(): Promise<void> {
    for (const { key } of await this.#store.listOpen(JOURNAL_ROWS)) this.#keys.add(key);
  }
}
