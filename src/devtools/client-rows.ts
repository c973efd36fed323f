import type { Next } from '../core/errors/index.ts';
import type { CallDecision } from '../core/http/index.ts';
import { make } from '../elements/dom.ts';
import { JOURNAL_ROWS, type MoveRow, readView } from '../flows/pay/facts.ts';
import { chooseRules } from '../flows/pay/rules.ts';
import { findRefusal, deriveStatus } from '../flows/pay/truth.ts';
import type { Store } from '../stores/store.ts';
import { makeTabs, rowHead, showBody } from './detail.ts';
import {
  type InspectedRequest,
  type InspectedWatch,
  nameRequest,
  type TimelineEntry,
} from './inspect-client.ts';
import { clockText, joinText, plainText, type Row, spanText } from './rows.ts';

export function clientRow({ kind, at, text, id = '', request }: TimelineEntry): Row {
  const about = id ? [id] : [];
  if (request) return requestRow(request, about);
  const key = `${kind}-${at}-${id}-${text}`.replace(/[^\w-]+/g, '-');
  if (kind !== 'state') return { key, kind, at, title: text, end: '', about };
  return { key, kind, at, title: 'state', end: text, about };
}

function requestRow(request: InspectedRequest, about: readonly string[]): Row {
  const { number, sentAt, duration, code, reason, exchange } = request;
  const { method, path, response } = exchange;
  return {
    key: `r${number}`,
    kind: 'request',
    at: sentAt,
    title: nameRequest(request),
    end: `${response?.status ?? (code ? 'no answer' : '')}`,
    why: joinText(code, reason),
    took: duration,
    about,
    ...(method === 'GET' && { poll: path.split('?')[0]! }),
  };
}

/** Converts watches to devtools rows. */
export function watchRows(watches: readonly InspectedWatch[], now: number): readonly Row[] {
  const inTime = (at: number): string => spanText(Math.max(0, at));
  return watches.map(({ resource, id, state = '', freshness, asOf, observers, status }) => {
    const next = status.nextReadAt;
    return {
      ...PLAIN,
      key: `${resource} ${id}`,
      title: joinText(resource, id),
      end: state,
      why: joinText(
        freshness,
        asOf !== undefined && `${inTime(now - asOf)} old`,
        status.reason,
        next === undefined ? 'no read is planned' : `next read in ${inTime(next - now)}`,
        `${observers} listening`,
      ),
      about: [id],
    };
  });
}

const PLAIN = { kind: 'state', at: NaN, about: [] } as const;

function journalRow(row: MoveRow): Row {
  const view = readView(row);
  const sends = view.numbers.flatMap((one) => one.sends);
  const last = sends.at(-1);
  const cause = view.over?.why ?? findRefusal(view);
  const why = joinText(
    `round ${view.round}`,
    sends.length === 1 ? 'sent once' : `sent ${sends.length} times`,
    last && `latest attempt at ${clockText(last.at)}: ${last.answer?.how ?? 'no response yet'}`,
    last?.answer?.code,
    view.moved?.id,
    cause && `${cause.code}: ${cause.text}`,
  );
  const end = deriveStatus(view, chooseRules(row.order));
  return { ...PLAIN, key: row.intent, title: row.intent, end, why };
}

/**
 * Returns the details of a request, with its response and the client's decision. `tabs` remembers
 * the selected tab.
 */
export function requestDetail(
  request: InspectedRequest,
  row: Row,
  tabs: { chosen: string },
): readonly HTMLElement[] {
  const { exchange, decision, priority } = request;
  const { method, path, body, idempotencyKey, response, failure } = exchange;
  const facts = joinText(
    clockText(row.at),
    row.took !== undefined && spanText(row.took),
    `priority ${priority}`,
    row.why,
  );
  const address = joinText(
    `${method} ${plainText(path)}`,
    idempotencyKey && `key ${idempotencyKey}`,
  );
  const contents = {
    Request: [make('p', 'address', address), showBody(body ?? '')],
    Response: [showBody(response?.body || failure?.message)],
  };
  const { parts, choose } = makeTabs('Parts', contents, (name) => void (tabs.chosen = name));
  choose(tabs.chosen);
  return [
    ...rowHead(row, facts),
    ...(decision ? [make('p', 'decision', decisionText(decision))] : []),
    ...parts,
  ];
}

/** Advice for each value of `next`. */
const STEPS: Readonly<Record<Next, string>> = {
  'fix-input': 'fix the fields that validationErrors lists',
  'fix-credential': 'use a valid API key, because the service rejected this one',
  retry: 'send the same request again',
  wait: 'wait until retryAt, then send the same request again',
  'read-first': 'check whether the request took effect before you repeat it',
  'new-quote': 'get a new quote, because this one can no longer be used',
  'ask-user': 'ask the user for another amount or payment method',
  login: 'log in again',
  'get-scope': 'get a credential with the missing scope',
  stop: 'stop, because no retry can fix this error',
};

function decisionText(decision: CallDecision): string {
  const { kind, why, delay = 0, outcome, next, neededScope } = decision;
  if (kind === 'retry') return `The client will retry in ${spanText(delay)}, because of ${why}.`;
  if (kind === 'wait') return `The client waits ${spanText(delay)} for the rate limit (${why}).`;
  if (kind === 'read-first')
    return `The client first checks whether the request took effect, because of ${why}.`;
  const scope = neededScope ? ` (${neededScope})` : '';
  const done = outcome === 'unknown' ? 'It may have succeeded' : 'Nothing was done';
  return `${done} (${why}). Now: ${STEPS[next ?? 'stop']}${scope}.`;
}

/**
 * Rows for a journal's runs. Includes runs that have ended since, although the journal only lists
 * open ones.
 */
export class JournalRows {
  readonly #store: Store;
  readonly #keys: Set<string> = new Set();
  rows: readonly Row[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Updates the rows. If the store fails, keeps the previous rows. */
  async read(): Promise<void> {
    try {
      for (const { key } of await this.#store.listOpen(JOURNAL_ROWS)) this.#keys.add(key);
      const found = await Promise.all([...this.#keys].map((key) => this.#store.get(key)));
      this.rows = found.flatMap((row) => (row ? journalRow(row.value as MoveRow) : []));
    } catch {} // the next change triggers another read
  }
}
