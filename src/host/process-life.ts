import { isPaystateError } from '../core/errors/index.ts';
import type { Clock } from '../core/time.ts';
import type { LeaseHolder, RelayStore, RelayTables } from '../relay/rows.ts';
import { signOfLife, signsFrom } from '../relay/rows.ts';
import type { SqlConnection } from '../stores/index.ts';

/** Interval between a process's signs of life, milliseconds. */
const BEAT = 900;
/** After this without a sign of its own it begins no handler: others may take what it has. */
const OWN_SIGN_WITHIN = 4_000;
/** After this without a sign another process counts as dead. */
const OTHER_SIGN_WITHIN = 4_500;
/**
 * It judges others only if it has written this many signs of its own in this time, milliseconds.
 */
const SIGNS = 4;
const SIGNS_WITHIN = 5_000;
/** Longest time of a sign of life, milliseconds. */
const BEAT_TIMEOUT = 2_000;
/** A process that does not hear itself for this long is deaf: the connection is replaced. */
const DEAF_AFTER = 5_000;
/** With a proxy that passes no notifications on, it is replaced after this, milliseconds. */
const LONGEST_DEAF = 300_000;
/** After this many connections that could not listen it goes on without, until it is replaced. */
const MOST_REFUSALS = 3;
/** Words of this time are one notification, milliseconds; PostgreSQL takes 8,000 bytes. */
const GATHER = 20;
const MOST_BYTES = 7_900;

interface Parts {
  readonly tables: RelayTables;
  readonly store: RelayStore;
  readonly clock: Clock;
  /** Random for each start. */
  readonly id: string;
  /** This process or another one has written these: accounts and ids in turn. */
  readonly heard: (account: string, invoiceId: string) => void;
  /** Another process is dead, and what it had is free. */
  readonly buried: () => void;
  /** Is aborted when the process takes no new work. */
  readonly ending: AbortSignal;
  /** A newer process has the tables: this one must stop. */
  readonly outdated: (reason: Error) => void;
}

/**
 * A process among those of a relay: says that it lives, notices which one does not, and passes
 * words on. Both need a connection of its own. A process on SQLite is alone.
 */
export class ProcessLife implements LeaseHolder {
  readonly id: string;
  readonly ending: AbortSignal;
  readonly #parts: Parts;
  readonly isAlone: boolean;
  /** When other processes' signs were last seen to change, monotonic. */
  readonly #others: Map<string, { seen: number; at: number }> = new Map();
  /** When signs of its own were sent, monotonic. */
  #signs: number[] = [];
  #connection: SqlConnection | undefined;
  #heardAt: number = -Infinity;
  #deafFor: number = DEAF_AFTER;
  /** Connections in a row on which it could not listen. */
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

  /** Says that it lives, and buries who does not; on SQLite all who were there before. */
  async begin(): Promise<void> {
    const signs = await this.#parts.store.signOfLife(this.id);
    this.#signs.push(this.#now);
    if (this.isAlone) await this.#parts.store.buryOthers(this.id);
    else this.#note(signs);
  }

  /** Goes on saying so until the signal. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.isAlone) return;
    while (!signal.aborted) {
      const startedAt = this.#now;
      await this.#beat().catch((thrown: unknown) => this.#lose(thrown));
      await this.#parts.clock.wait(Math.max(50, startedAt + BEAT - this.#now), signal);
    }
  }

  /** Tells all processes that pages have to be told of this invoice; never waits. */
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

  /** Its leases are free for the others. */
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

  /** A proxy that passes no LISTEN on must not keep this process from saying that it lives. */
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
   * After a stall of the database all seem dead: a process that could not write either judges none.
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
    // they ask anyway
    for (const each of texts)
      await tables.read(tables.notification(this.#channel, each)).catch(() => {});
  }
}
