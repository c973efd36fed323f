import { CONTROL_HEADER, CONTROL_PATH } from '../sandbox/host/names.ts';
import { followEvents, type HappenedEvent } from '../sandbox/host/inspect.ts';
import { type EventType, eventTypes } from '../resources/events.types.ts';
import type { Row } from '../devtools/rows.ts';
import type { FaultOn, Pulse } from './page/server.ts';
import { toWords } from './page-resources.ts';
import type { RecordedSandbox } from './record-bodies.ts';

type Control = (request: Request) => Promise<Response>;
type Delivery = RecordedSandbox['deliveries'][number];

/** Maximum number of rows that a newly opened page receives. */
const MAX_ROWS = 10_000;
/** Maximum number of rows in one message. */
const MAX_BATCH = 500;
/** Time during which changes are collected into one message, in milliseconds. */
const GATHER_MS = 20;
/**
 * Interval between checks on a webhook in flight, in milliseconds. It's polled because there's no
 * notification when it ends.
 */
const RECHECK_MS = 100;

/**
 * Streams the timeline's rows to the page as server-sent events, and serves the details of each
 * row.
 */
export class PageFeed {
  readonly #control: Control;
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #encoder = new TextEncoder();
  #book: RowBook | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time of the next update, on the monotonic clock. */
  #due = Infinity;
  #begin: { readonly real: number; readonly now: number } | undefined;

  /** @param control handles control requests, such as reading the time and the fault rules */
  constructor(control: Control) {
    this.#control = control;
  }

  /** Shows this sandbox instead of the previous one. */
  follow(sandbox: RecordedSandbox): RecordedSandbox {
    const book = new RowBook(sandbox);
    this.#book = book;
    this.#begin = undefined;
    sandbox.onEnd = () => this.poke();
    followEvents(sandbox.inspect, (event) => {
      book.note(event);
      this.poke();
    });
    this.#send('event: world\ndata: {}\n\n');
    this.poke();
    return sandbox;
  }

  poke(delay: number = GATHER_MS): void {
    const due = performance.now() + delay;
    if (this.#readers.size === 0 || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      void this.#tell();
    }, delay);
    this.#timer.unref?.();
  }

  /**
   * Responds to requests for the stream or a row's details. Returns `undefined` for all other
   * requests.
   */
  answer(request: Request): Response | undefined {
    const { pathname } = new URL(request.url);
    if (pathname === '/_page/stream') return this.#open(request);
    const [, key] = /^\/_page\/row\/([a-z][\w-]{0,40})$/.exec(pathname) ?? [];
    const found = key && this.#book?.detail(key);
    return found ? Response.json(found, { headers: { 'cache-control': 'no-store' } }) : undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const reader of this.#readers) reader.close();
    this.#readers.clear();
  }

  /**
   * Opens a stream and sends all rows that the page doesn't have yet. The page's last event id
   * contains the sandbox's id and the number of the last change it received.
   */
  #open({ headers, signal }: Request): Response {
    const [world, seen = '0'] = (headers.get('last-event-id') ?? '').split(':');
    let mine: ReadableStreamDefaultController<Uint8Array> | undefined;
    const leave = (): void => void (mine && this.#readers.delete(mine));
    const body = new ReadableStream<Uint8Array>({
      start: (reader) => {
        mine = reader;
        const book = this.#book;
        const isSame = book?.world === world;
        if (world && !isSame) reader.enqueue(this.#encoder.encode('event: world\ndata: {}\n\n'));
        if (book) {
          book.collect();
          for (const message of book.messages(isSame ? +seen : 0))
            reader.enqueue(this.#encoder.encode(message));
        }
        this.#readers.add(reader);
        signal.addEventListener('abort', leave);
        this.poke(0);
      },
      cancel: leave, // a request's signal may be garbage-collected before it fires
    });
    const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return new Response(body, { headers: head });
  }

  async #tell(): Promise<void> {
    const pulse = await this.#pulse().catch(() => undefined);
    const book = this.#book;
    if (!book || this.#readers.size === 0) return;
    const before = book.last;
    book.collect();
    for (const message of book.messages(before)) this.#send(message);
    if (pulse) this.#send(`event: pulse\ndata: ${JSON.stringify(pulse)}\n\n`);
    const wait = book.nextLook(pulse?.now ?? 0);
    if (wait !== undefined) this.poke(wait);
  }

  async #pulse(): Promise<Pulse> {
    const [state, faults, unused, assumptions] = await Promise.all([
      this.#ask('state') as Promise<Omit<Pulse, 'faults' | 'isMoving'>>,
      this.#ask('faults') as Promise<readonly Pick<FaultOn, 'id' | 'rule'>[]>,
      this.#ask('unused-faults') as Promise<readonly { rule: object; matches: number }[]>,
      this.#ask('assumptions').catch(() => []) as Promise<Pulse['assumptions']>,
    ]);
    const { now, accounts, blocks } = state;
    const real = performance.now();
    this.#begin ??= { real, now };
    const isMoving = now - this.#begin.now >= (real - this.#begin.real) / 2;
    const idle = new Map(unused.map(({ rule, matches }) => [JSON.stringify(rule), matches]));
    const told = faults.map(({ id, rule }): FaultOn => {
      const matches = idle.get(JSON.stringify(rule));
      const matched = this.#book?.matches(rule) ?? matches;
      return { id, rule, isUnused: matches !== undefined, matched };
    });
    return { now, isMoving, accounts, blocks, faults: told, assumptions };
  }

  async #ask(name: string): Promise<unknown> {
    const headers = { [CONTROL_HEADER]: '1' };
    const url = `http://127.0.0.1${CONTROL_PATH}${name}`;
    const answer = await this.#control(new Request(url, { headers }));
    if (!answer.ok) throw new Error(`the sandbox's control API responded with ${answer.status}`);
    return answer.json();
  }

  #send(message: string): void {
    const bytes = this.#encoder.encode(message);
    for (const reader of this.#readers) reader.enqueue(bytes);
  }
}

class RowBook {
  readonly world: string = crypto.randomUUID().slice(0, 8);
  readonly #sandbox: RecordedSandbox;
  /** Rows by key, each with the number of its last change. */
  readonly #rows = new Map<string, { readonly row: Row; readonly seq: number }>();
  readonly #noted: Row[] = [];
  readonly #states = new Map<string, string>();
  /** Keys of requests and webhooks that are still in progress. */
  readonly #open = new Set<string>();
  #calls = 0;
  #deliveries = 0;
  #noteCount = 0;
  last = 0;

  constructor(sandbox: RecordedSandbox) {
    this.#sandbox = sandbox;
  }

  note({ id, at, account, eventType, entityId, receiveId, stateOf }: HappenedEvent): void {
    const subject = eventTypes[eventType as EventType];
    const about = receiveId === undefined ? [entityId] : [entityId, receiveId];
    const what = receiveId === undefined ? subject : 'receive';
    const one = about.at(-1)!;
    const state = what && what !== 'receiveRequest' ? stateOf(what, one) : undefined;
    const from = this.#states.get(one);
    if (state !== undefined && state !== from) {
      this.#states.set(one, state);
      this.#noteCount += 1;
      if (from !== undefined || !eventType.endsWith('.created'))
        this.#noted.push({
          key: `s${this.#noteCount}`,
          kind: 'state',
          at,
          title: toWords(what),
          end: from === undefined ? `→ ${state}` : `${from} → ${state}`,
          about: [one, ...about.filter((other) => other !== one)],
          account,
          subject: what,
        });
    }
    const event = {
      key: `e${id}`,
      kind: 'event',
      title: eventType,
      end: '',
    } as const;
    this.#noted.push({ ...event, at, about, account, subject: what });
  }

  collect(): void {
    const sandbox = this.#sandbox;
    const { entries, deliveries } = sandbox;
    for (const key of this.#open) {
      const number = +key.slice(1);
      this.#put(
        key.startsWith('r') ? requestRow(sandbox, number) : deliveryRow(deliveries[number - 1]!),
      );
    }
    const fresh = [
      ...this.#noted.splice(0),
      ...deliveries.slice(this.#deliveries).map(deliveryRow),
      ...entries.slice(this.#calls).map(({ call }) => requestRow(sandbox, call)),
    ];
    this.#deliveries = deliveries.length;
    this.#calls = entries.length;
    fresh.sort(
      (one, other) => one.at - other.at || RANK.indexOf(one.kind) - RANK.indexOf(other.kind),
    );
    for (const row of fresh) this.#put(row);
    for (const [key] of this.#rows) {
      if (this.#rows.size <= MAX_ROWS) break;
      this.#rows.delete(key);
      this.#open.delete(key);
    }
  }

  #put(row: Row): void {
    const { key, kind, end, why, took } = row;
    const old = this.#rows.get(key)?.row;
    if (old?.end === end && old.why === why && old.took === took) return;
    this.last += 1;
    this.#rows.set(key, { row, seq: this.last });
    // a request with a status may still change until its body has been read
    const trace = kind === 'request' && this.#sandbox.traceOf(+key.slice(1));
    if (trace ? trace.took === undefined : end === '' && kind !== 'event') this.#open.add(key);
    else this.#open.delete(key);
  }

  /** Returns the messages with all changes after the given number, in order. */
  messages(after: number): readonly string[] {
    const rows = [...this.#rows.values()]
      .filter(({ seq }) => seq > after)
      .sort((one, other) => one.seq - other.seq);
    const messages: string[] = [];
    for (let at = 0; at < rows.length; at += MAX_BATCH) {
      const batch = rows.slice(at, at + MAX_BATCH);
      const data = JSON.stringify(batch.map(({ row }) => row));
      messages.push(`id: ${this.world}:${batch.at(-1)!.seq}\nevent: rows\ndata: ${data}\n\n`);
    }
    return messages;
  }

  /**
   * Returns the milliseconds until the next check for changes that send no notification, or
   * `undefined` if there are none.
   */
  nextLook(now: number): number | undefined {
    if ([...this.#open].some((key) => key.startsWith('w'))) return RECHECK_MS;
    const dues = this.#sandbox.deliveries
      .slice(-MAX_BATCH)
      .flatMap(({ retryAt = 0 }) => (retryAt > now ? [retryAt - now] : []));
    return dues.length > 0 ? Math.max(RECHECK_MS, Math.min(...dues) + GATHER_MS) : undefined;
  }

  /**
   * Returns how many log entries a fault rule affected, or `undefined` for state rules, which
   * aren't in the logs.
   */
  matches(rule: object): number | undefined {
    const { action, delivery } = rule as { readonly action?: unknown; readonly delivery?: unknown };
    const wanted = JSON.stringify(action ?? delivery);
    if (wanted === undefined) return undefined;
    const log: readonly { readonly fault?: unknown }[] =
      action === undefined ? this.#sandbox.deliveries : this.#sandbox.entries;
    return log.filter(({ fault }) => fault && JSON.stringify(fault) === wanted).length;
  }

  detail(key: string): object | undefined {
    const row = this.#rows.get(key)?.row;
    const { entries, deliveries } = this.#sandbox;
    const number = +key.slice(1);
    if (row?.kind === 'webhook') return { row, delivery: deliveries[number - 1] };
    if (row?.kind !== 'request') return row && { row };
    const entry = entries[number - 1]!;
    const uses = new Map(this.#sandbox.report().map((use) => [use.id, use]));
    const restsOn = (entry.behaviours ?? []).flatMap((id) => uses.get(id) ?? []);
    return { row, entry, trace: this.#sandbox.traceOf(number), restsOn };
  }
}

/** Sort order by kind, for rows with the same time. */
const RANK: readonly Row['kind'][] = ['request', 'state', 'event', 'webhook'];

function requestRow({ entries, traceOf }: RecordedSandbox, call: number): Row {
  const { at, method, path, query, status, fault } = entries[call - 1]!;
  const { took, code, about = [] } = traceOf(call) ?? {};
  const hasEnded = took !== undefined || status !== undefined;
  const why = [code, fault && `fault: ${faultText(fault)}`].filter(Boolean).join(' · ');
  return {
    key: `r${call}`,
    kind: 'request',
    at,
    title: `${method} ${path}${query}`,
    end: hasEnded ? `${status ?? 'no answer'}` : '',
    ...(why && { why }),
    ...(took !== undefined && { took: Math.round(took) }),
    about,
    ...(method === 'GET' && { poll: path }),
  };
}

function deliveryRow(delivery: Delivery): Row {
  const { number, at, eventType, attempt, url, outcome, status, fault, retryAt, body } = delivery;
  const why = [
    attempt > 1 && `retry ${attempt - 1} of 12`,
    fault && `fault: ${faultText(fault)}`,
    retryAt && `next in ${Math.round((retryAt - at) / 1_000)} s`,
  ];
  const [, id] = /"entityId"\s*:\s*"([\w-]+)"/.exec(body) ?? [];
  return {
    key: `w${number}`,
    kind: 'webhook',
    at,
    title: `${eventType} → ${URL.canParse(url) ? new URL(url).host : url}`,
    end: outcome === 'under-way' ? '' : `${status ?? outcome}`,
    why: why.filter(Boolean).join(' · '),
    about: id === undefined ? [] : [id],
  };
}

function faultText(fault: unknown): string {
  return typeof fault === 'string' ? fault : JSON.stringify(fault);
}
