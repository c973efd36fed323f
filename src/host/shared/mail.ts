import type { PostgresqlDriver } from './driver.ts';
import type { SharedTables } from './tables.ts';

/** What mail tells of. */
interface MailEvents {
  readonly message: (sender: string, message: unknown) => void;
  /** What was sent to this process may not have come: everything that needed it is void. */
  readonly failed: (recipient: string) => void;
}

/**
 * Messages between processes, by a table and `NOTIFY`. From one to another they come once and in
 * order, or it is said that they do not.
 */
export class Mail {
  readonly #tables: SharedTables;
  readonly #driver: PostgresqlDriver;
  readonly #events: MailEvents;
  readonly #outgoing: Map<string, string[]> = new Map();
  #id: string = '';
  #stop = (): void => {};
  #collecting: Promise<void> | undefined;
  #isMore: boolean = false;
  #isListening: boolean = false;

  constructor(tables: SharedTables, driver: PostgresqlDriver, events: MailEvents) {
    this.#tables = tables;
    this.#driver = driver;
    this.#events = events;
  }

  /** From now on it is for this process. */
  async open(id: string): Promise<void> {
    this.#stop();
    this.#id = id;
    await this.#listen(id);
  }

  /** Hears nothing any more. */
  close(): void {
    this.#id = '';
    this.#stop();
  }

  async #listen(id: string): Promise<void> {
    this.#isListening = true;
    const lost = (): void => {
      if (id === this.#id) this.#isListening = false;
    };
    try {
      const stop = await this.#driver.listen(
        this.#tables.channelOf(id),
        () => void this.collect(),
        lost,
      );
      if (id === this.#id) this.#stop = stop;
      else stop();
    } catch (thrown) {
      lost();
      throw thrown;
    }
  }

  /** Listens again where the connection was lost, and takes what it did not hear of. */
  check(): void {
    if (!this.#isListening) this.#listen(this.#id).catch(() => {});
    void this.collect();
  }

  send(recipient: string, message: object): void {
    const waiting = this.#outgoing.get(recipient);
    const text = JSON.stringify(message);
    if (waiting) return void waiting.push(text);
    this.#outgoing.set(recipient, [text]);
    void this.#post(recipient, this.#id);
  }

  async #post(recipient: string, sender: string): Promise<void> {
    const waiting = this.#outgoing.get(recipient)!;
    try {
      while (waiting.length > 0) await this.#tables.post(recipient, sender, waiting.splice(0));
    } catch {
      this.#events.failed(recipient);
    } finally {
      this.#outgoing.delete(recipient);
    }
  }

  /** Takes what there is; a notification may have been lost. */
  collect(): Promise<void> {
    this.#isMore = true;
    this.#collecting ??= this.#collectAll().finally(() => (this.#collecting = undefined));
    return this.#collecting;
  }

  async #collectAll(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false;
      const found = await this.#tables.collect(this.#id).catch(() => []);
      for (const { sender, body } of found) this.#events.message(sender, JSON.parse(body));
    }
  }
}
