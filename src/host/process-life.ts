import { isPaystateError } from '../core/errors/index.ts';
import type { Clock } from '../core/time.ts';
import type { LeaseHolder, RelayStore, RelayTables } from '../relay/rows.ts';
import { signOfLife, signsFrom } from '../relay/rows.ts';
import type { SqlConnection } from '../stores/index.ts';

/** Interval between a process's heartbeats, in milliseconds. */
const BEAT = 900;
/**
 * Milliseconds without sending a heartbeat after which a process starts no more handlers, because
 * other processes may take its leases.
 */
const OWN_SIGN_WITHIN = 4_000;
/** Milliseconds without a heartbeat after which another process counts as dead. */
const OTHER_SIGN_WITHIN = 4_500;
/**
 * Number of heartbeats that a process must have sent within `SIGNS_WITHIN` milliseconds before it
 * may declare other processes dead.
 */
const SIGNS = 4;
const SIGNS_WITHIN = 5_000;
const BEAT_TIMEOUT = 2_000;
/**
 * Milliseconds without receiving its own notifications after which a process replaces its database
 * connection.
 */
const DEAF_AFTER = 5_000;
/**
 * Maximum interval between connection replacements in milliseconds, for proxies that don't forward
 * notifications.
 */
const LONGEST_DEAF = 300_000;
/**
 * Number of failed attempts to listen for notifications after which the process stops trying until
 * the connection is next replaced.
 */
const MOST_REFUSALS = 3;
/**
 * How long to collect changes for one notification, in milliseconds. `MOST_BYTES` limits the
 * notification's size, because PostgreSQL allows at most 8,000 bytes.
 */
const GATHER = 20;
const MOST_BYTES = 7_900;

interface Parts {
  readonly tables: RelayTables;
  readonly store: RelayStore;
  readonly clock: Clock;
  readonly id: string;
  /** Called when this or another process has stored a changed invoice. */
  readonly heard: (account: string, invoiceId: string) => void;
  /** Called when the leases of a dead process have been released. */
  readonly buried: () => void;
  /** Aborts when the process must not start any more work. */
  readonly ending: AbortSignal;
  /** Called when the database schema is too new for this version, so the process must stop. */
  readonly outdated: (reason: Error) => void;
}

/**
 * Coordinates this process with the relay's other processes. It sends heartbeats, detects dead
 * processes and exchanges notifications over a separate database connection. With SQLite, there's
 * only one process.
 */
export class ProcessLife implements LeaseHolder {
  readonly id: string;
  readonly ending: AbortSignal;
  readonly #parts: Parts;
  readonly isAlone: boolean;
  readonly #others: Map<string, { seen: number; at: number }> = new Map();
  #signs: number[] = [];
  #connection: SqlConnection | undefined;
  #heardAt: number = -Infinity;
  #deafFor: number = DEAF_AFTER;
  #refusals: number = 0;
  #words: Set<string> = new Set();
  #isGathering: boolean = false;
  #isEnded: boolean = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.id = parts.id;
    this.ending = parts.ending;
    this.isAlone = parts.tables.dialect === 'sqlite';
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isAlive(): boolean {
    if (this.#isEnded) return false;
    return this.isAlone || this.#now < (this.#signs.at(-1) ?? -Infinity) + OWN_SIGN_WITHIN;
  }

  /** Sends the first heartbeat. */
  async begin(): Promise<void> {
    const signs = await this.#parts.store.signOfLife(this.id);
    this.#signs.push(this.#now);
    this.#note(signs);
  }

  /** Sends heartbeats until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.isAlone) return;
    while (!signal.aborted) {
      const startedAt = this.#now;
      await this.#beat().catch((thrown: unknown) => this.#lose(thrown));
      await this.#parts.clock.wait(Math.max(50, startedAt + BEAT - this.#now), signal);
    }
  }

  /** Notifies all processes of a changed invoice. Doesn't wait for the notification to be sent. */
  say(account: string, invoiceId: string): void {
    this.#parts.heard(account, invoiceId);
    if (this.isAlone) return;
    this.#words.add(`${account}/${invoiceId}`);
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#parts.clock.after(GATHER, () => {
      this.#isGathering = false;
      void this.#notify();
    });
  }

  /** Releases this process's leases, so other processes can take them. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#connection?.close();
    await this.#parts.store.bury(this.id);
  }

  get #now(): number {
    return this.#parts.clock.monotonic();
  }

  get #channel(): string {
    return `${this.#parts.tables.prefix}_words`;
  }

  async #beat(): Promise<void> {
    const { tables } = this.#parts;
    if (this.#connection && this.#now > this.#heardAt + this.#deafFor) this.#replace();
    const connection = (this.#connection ??= await this.#connect());
    const sentAt = this.#now;
    const parts = [
      ...signOfLife(this.id),
      ...(connection ? [tables.notification(this.#channel, `beat ${this.id}`)] : []),
    ];
    const statements = parts.map((part) => tables.statement(part));
    const rows = await (connection ?? tables.driver).batch(statements, { timeoutMs: BEAT_TIMEOUT });
    this.#signs = [...this.#signs.filter((at) => at > sentAt - SIGNS_WITHIN), sentAt];
    this.#note(signsFrom(rows));
    await this.#buryDead();
  }

  async #connect(): Promise<SqlConnection | undefined> {
    const { driver } = this.#parts.tables;
    const connection = await driver.openConnection?.();
    if (!connection) return undefined;
    connection.onLost(() => {
      if (this.#connection === connection) this.#connection = undefined;
    });
    this.#heardAt = this.#now;
    if (this.#refusals < MOST_REFUSALS) await this.#listenOn(connection);
    return connection;
  }

  /**
   * Listens for notifications. After a few failures, heartbeats continue without notifications,
   * because a proxy may not support LISTEN.
   */
  async #listenOn(connection: SqlConnection): Promise<void> {
    try {
      await connection.listen(this.#channel, (text) => this.#hear(text));
      this.#refusals = 0;
    } catch (thrown) {
      this.#refusals += 1;
      connection.close();
      throw thrown;
    }
  }

  #replace(): void {
    this.#deafFor = Math.min(LONGEST_DEAF, this.#deafFor * 2);
    this.#refusals = 0;
    this.#connection?.close();
    this.#connection = undefined;
  }

  #hear(text: string): void {
    if (text === `beat ${this.id}`) {
      this.#heardAt = this.#now;
      this.#deafFor = DEAF_AFTER;
    } else if (!text.startsWith('beat '))
      for (const word of text.split(' ')) {
        const [account = '', invoiceId = ''] = word.split('/');
        this.#parts.heard(account, invoiceId);
      }
  }

  #lose(thrown: unknown): void {
    this.#connection?.close();
    this.#connection = undefined;
    if (isPaystateError(thrown) && thrown.kind === 'input') this.#parts.outdated(thrown);
  }

  #note(signs: readonly { readonly id: string; readonly seen: number }[]): void {
    const now = this.#now;
    for (const { id, seen } of signs)
      if (this.#others.get(id)?.seen !== seen) this.#others.set(id, { seen, at: now });
    for (const id of this.#others.keys())
      if (!signs.some((sign) => sign.id === id)) this.#others.delete(id);
  }

  /**
   * Releases the leases of dead processes. Does nothing if this process couldn't send its own
   * heartbeats, because all processes seem dead after a database outage.
   */
  async #buryDead(): Promise<void> {
    const now = this.#now;
    if (this.#signs.filter((at) => at > now - SIGNS_WITHIN).length < SIGNS) return;
    for (const [id, { at }] of [...this.#others]) {
      if (id === this.id || now < at + OTHER_SIGN_WITHIN) continue;
      await this.#parts.store.bury(id);
      this.#others.delete(id);
      this.#parts.buried();
    }
  }

  async #notify(): Promise<void> {
    const { tables } = this.#parts;
    const words = [...this.#words];
    this.#words.clear();
    let text = '';
    const texts: string[] = [];
    for (const word of words) {
      if (text.length + word.length + 1 > MOST_BYTES) {
        texts.push(text);
        text = '';
      }
      text += text === '' ? word : ` ${word}`;
    }
    if (text !== '') texts.push(text);
    // Other processes also poll, so a failure doesn't matter.
    for (const each of texts)
      await tables.read(tables.notification(this.#channel, each)).catch(() => {});
  }
}
