import type { DurableStorage } from '../../core/platform.ts';
import type { Clock } from '../../core/time.ts';
import type { LogEntry } from '../service/network.ts';
import { checkDuration, createVirtualClock, type VirtualClock } from '../time/clock.ts';
import type { DeliveryResult, DeliveryTransport, Webhook } from '../webhooks/transport.ts';
import { type Control, createControl } from './control.ts';
import { CONTROL_PATH } from './names.ts';
import type { SandboxOptions } from './options.ts';
import { buildSandbox, type Sandbox } from './sandbox.ts';

/** An external input to the sandbox. Replaying all entries restores its state. */
type JournalEntry =
  | { readonly is: 'start'; readonly seed: number | string }
  | {
      readonly is: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly is: 'advance' }
  /** The result of sending a webhook. Webhooks are numbered in the order in which they're sent. */
  | { readonly is: 'delivery'; readonly number: number; readonly result: DeliveryResult };

type Timed<Entry> = Entry & {
  readonly at: number;
  readonly real: number;
};

export interface Journal {
  /** Returns all journal entries, oldest first. */
  read(): readonly Timed<JournalEntry>[];
  /** Stores a journal entry synchronously. */
  append(entry: Timed<JournalEntry>): void;
  clear(): void;
}

export function journalInMemory(): Journal {
  let entries: Timed<JournalEntry>[] = [];
  return {
    read: () => entries,
    append: (entry) => void entries.push(entry),
    clear: () => {
      entries = [];
    },
  };
}

export function journalIn({ sql }: Pick<DurableStorage, 'sql'>): Journal {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS paystate_sandbox (number INTEGER PRIMARY KEY, entry TEXT NOT NULL)',
  );
  return {
    read: () =>
      sql
        .exec<{ entry: string }>('SELECT entry FROM paystate_sandbox ORDER BY number')
        .toArray()
        .map(({ entry }) => JSON.parse(entry) as Timed<JournalEntry>),
    append(entry) {
      sql.exec('INSERT INTO paystate_sandbox (entry) VALUES (?)', JSON.stringify(entry));
    },
    clear: () => void sql.exec('DELETE FROM paystate_sandbox'),
  };
}

export interface HostParts {
  readonly journal: Journal;
  readonly options: SandboxOptions;
  readonly clock: Clock;
  /** Sends a webhook to its receiver, in real time. */
  readonly deliver: (webhook: Webhook) => Promise<DeliveryResult>;
  /** Wraps the sandbox before it handles requests and control commands. */
  readonly wrap?: ((sandbox: Sandbox) => Sandbox) | undefined;
  /** Schedules a call to `wake` at this system time. Replaces any earlier schedule. */
  readonly setAlarm: (at: number) => void;
}

/** Reads the journal. Writes the first entry if the journal is empty. */
function readEntries({ journal, options, clock }: HostParts): readonly Timed<JournalEntry>[] {
  const now = Math.floor(clock.now());
  if (journal.read().length === 0)
    journal.append({ is: 'start', seed: options.seed ?? 1, at: now, real: now });
  return journal.read();
}

async function applyAll(replay: Replay, entries: readonly Timed<JournalEntry>[]): Promise<void> {
  for (const [number, entry] of entries.entries())
    try {
      await replay.apply(entry);
    } catch (cause) {
      throw new Error(`entry ${number + 1} of the journal cannot be applied: ${String(cause)}`, {
        cause,
      });
    }
}

/** A sandbox that follows the system clock and can be restored from its journal at any moment. */
export class HostedSandbox {
  readonly #parts: HostParts;
  #replay: Replay;
  readonly #open = new Set<Promise<void>>();
  readonly #flying = new Set<number>();
  /** Webhooks caused by the current journal entry. They're sent after the entry is stored. */
  #held: (() => void)[] | undefined;
  readonly #over = new AbortController();
  /** How far the sandbox's clock is ahead of the system clock, in milliseconds. */
  #ahead: number;
  #alarm: number | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: HostParts, entries: readonly Timed<JournalEntry>[]) {
    this.#parts = parts;
    this.#replay = this.#begin(entries);
    this.#ahead = entries.reduce((most, { at, real }) => Math.max(most, at - real), 0);
  }

  /** Opens a sandbox and replays its journal, if there is one. */
  static async open(parts: HostParts): Promise<HostedSandbox> {
    const entries = readEntries(parts);
    const hosted = new HostedSandbox(parts, entries);
    hosted.#last = applyAll(hosted.#replay, entries);
    await hosted.#last;
    return hosted;
  }

  #begin(entries: readonly Timed<JournalEntry>[]): Replay {
    const known = new Set(entries.map((entry) => (entry.is === 'delivery' ? entry.number : 0)));
    return new Replay(this.#parts, entries[0]!, (number, webhook) => {
      if (known.has(number) || this.#flying.has(number)) return;
      const leave = (): void => this.#deliver(number, webhook);
      if (this.#held) this.#held.push(leave);
      else leave();
    });
  }

  /** Stores a request in the journal, then responds. Rejects if a fault breaks the connection. */
  async handle(asked: Extract<JournalEntry, { is: 'request' }>): Promise<Response> {
    return (await this.#step(asked)).response!;
  }

  read(request: Request): Promise<Response> {
    return this.#inOrder(async () => {
      await this.#wakeNow();
      return this.#replay.read(request);
    });
  }

  wake(): Promise<void> {
    this.#alarm = undefined;
    return this.#inOrder(() => this.#wakeNow());
  }

  /** Advances time and waits for the webhooks in flight. Resolves to the new time. */
  async advance(duration: number): Promise<number> {
    const clock = (): VirtualClock => this.#replay.clock;
    const now = Math.max(clock().now(), this.#machineTime() + this.#ahead);
    const target = now + checkDuration(duration, now);
    while (clock().now() < target) {
      const next = Math.min(target, clock().nextAt() ?? target);
      this.#ahead = Math.max(this.#ahead, next - this.#machineTime());
      await this.#step({ is: 'advance' }, next);
      while (this.#open.size > 0) await Promise.all(this.#open);
    }
    return clock().now();
  }

  knowsKey(text: string): boolean {
    return this.#replay.knowsKey(text);
  }

  /** Stops the sandbox, so it no longer writes to the journal. Open requests get no response. */
  end(): void {
    this.#over.abort();
  }

  #setAlarm(): void {
    const at = this.#replay.clock.nextAt();
    if (at === undefined || at - this.#ahead === this.#alarm) return;
    this.#alarm = at - this.#ahead;
    this.#parts.setAlarm(this.#alarm);
  }

  #machineTime(): number {
    return Math.floor(this.#parts.clock.now());
  }

  #deliver(number: number, webhook: Webhook): void {
    this.#flying.add(number);
    const done: Promise<void> = this.#parts
      .deliver(webhook)
      .then((result) =>
        this.#over.signal.aborted ? undefined : this.#step({ is: 'delivery', number, result }),
      )
      .then(() => {
        this.#open.delete(done);
        this.#flying.delete(number);
      });
    this.#open.add(done);
  }

  async #wakeNow(): Promise<void> {
    const { clock } = this.#replay;
    await clock.advance(Math.max(0, this.#machineTime() + this.#ahead - clock.now()));
    this.#setAlarm();
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return this.#parts.clock.external(done);
  }

  /**
   * Applies and stores one journal entry at a time. Doesn't await responses, because some of them
   * only arrive after time has advanced. If the sandbox itself fails, the request isn't stored and
   * its effects are undone, so the journal can always be replayed.
   */
  #step(entry: JournalEntry, latest = Infinity): Promise<AppliedEntry> {
    return this.#inOrder(async () => {
      this.#over.signal.throwIfAborted();
      const real = this.#machineTime();
      const at = Math.max(this.#replay.clock.now(), Math.min(latest, real + this.#ahead));
      const applied = await this.#try({ ...entry, at, real });
      this.#setAlarm();
      return applied;
    });
  }

  async #try(entry: Timed<JournalEntry>): Promise<AppliedEntry> {
    const held: (() => void)[] = [];
    let isKept = false;
    let applied: AppliedEntry | undefined;
    this.#held = held;
    try {
      applied = await this.#replay.apply(entry);
      if (!applied.failed || entry.is !== 'request') {
        this.#parts.journal.append(entry);
        isKept = true;
      }
      return applied;
    } finally {
      this.#held = undefined;
      if (isKept) for (const leave of held) leave();
      else await this.#undo(applied?.failed);
    }
  }

  /** Restores the sandbox from its journal, then adds the failed request to its log. */
  async #undo(failed: LogEntry | undefined): Promise<void> {
    const entries = this.#parts.journal.read();
    this.#replay = this.#begin(entries);
    await applyAll(this.#replay, entries);
    if (failed) this.#replay.note(failed);
  }
}

interface AppliedEntry {
  /** The response to a request. Absent for other journal entries. */
  readonly response: Promise<Response> | undefined;
  /**
   * A request that failed because of an internal error, which may have left the sandbox in an
   * invalid state.
   */
  readonly failed: LogEntry | undefined;
}

/**
 * A sandbox whose inputs all come from the journal, including time. The same entries always restore
 * the same state.
 */
class Replay {
  readonly clock: VirtualClock;
  readonly read: Control;
  readonly knowsKey: (text: string) => boolean;
  readonly #log: LogEntry[];
  readonly #sandbox: Sandbox;
  readonly #waiting = new Map<number, (result: DeliveryResult) => void>();
  #sent = 0;

  /**
   * @param start the first journal entry, whose seed takes precedence over the options
   * @param send sends a webhook with its number. The result arrives as a journal entry
   */
  constructor(
    { options, wrap = (sandbox) => sandbox }: HostParts,
    start: Timed<JournalEntry>,
    send: (number: number, webhook: Webhook) => void,
  ) {
    this.clock = createVirtualClock(start.at);
    const transport: DeliveryTransport = {
      isSequential: false,
      send: (webhook) =>
        new Promise((resolve) => {
          this.#sent++;
          this.#waiting.set(this.#sent, resolve);
          send(this.#sent, webhook);
        }),
    };
    const seed = start.is === 'start' ? start.seed : 1;
    const { sandbox, log, knowsKey } = buildSandbox(
      { ...options, seed },
      this.clock,
      transport,
      true,
    );
    this.#log = log;
    this.knowsKey = knowsKey;
    this.#sandbox = wrap(sandbox);
    this.read = createControl(this.#sandbox);
  }

  /** Adds an entry to the log for a request that isn't in the journal. */
  note(entry: LogEntry): void {
    this.#log.push({ ...entry, call: this.#log.length + 1 });
  }

  /**
   * Advances time to a journal entry and applies it. `response` may stay pending until time
   * advances further.
   */
  async apply(entry: Timed<JournalEntry>): Promise<AppliedEntry> {
    const before = this.#log.length;
    if (entry.at > this.clock.now()) await this.clock.advance(entry.at - this.clock.now());
    const response =
      entry.is === 'request' ? respondTo(entry, this.#sandbox, this.read) : undefined;
    if (entry.is === 'delivery') {
      this.#waiting.get(entry.number)?.(entry.result);
      this.#waiting.delete(entry.number);
    }
    await this.clock.advance(0);
    const failed = this.#log.slice(before).find(({ failure }) => failure !== undefined);
    return { response, failed };
  }
}

function respondTo(
  { method, url, headers, body }: Extract<JournalEntry, { is: 'request' }>,
  sandbox: Sandbox,
  control: Control,
): Promise<Response> {
  const init = { method, headers, ...(body !== '' && { body }) };
  const response = new URL(url).pathname.startsWith(CONTROL_PATH)
    ? control(new Request(url, init))
    : sandbox.fetch(url, init);
  response.catch(() => {}); // avoids an unhandled rejection during a replay
  return response;
}
