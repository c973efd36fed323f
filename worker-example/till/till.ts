import { type Client, isPaystateError } from 'paystate';
import { refund, resume } from 'paystate/flows';
import type { Money } from 'paystate/money';
import { type SqlDriver, sqlStore, type Store } from 'paystate/stores';
import { Rows } from '../src/rows.ts';

/** What the shop asks for: the same name is the same refund. */
export type RefundWish = Readonly<Record<'orderId' | 'invoiceId' | 'to' | 'name', string>> & {
  /** Everything that is left when absent. */
  readonly money?: Money;
};

/** How far a refund is: `paid`, `refused`, `failed` and `stopped` are ends. */
export interface RefundStatus {
  readonly phase: string;
  readonly note: string;
}

interface TillOptions {
  /** The database of the refunds and of the journal. */
  readonly driver: SqlDriver;
  /** With a key that may pay. */
  readonly client: Client;
  /** No other process uses the database, so what was under way when this one began is nobody's. */
  readonly isAlone: boolean;
}

type Text = 'name' | 'order_id' | 'invoice_id' | 'destination' | 'amount' | 'currency';
type RefundRow = RefundStatus & Readonly<Record<Text, string>>;

/** Nothing was paid back, and nothing will be. */
const NOT_PAID = "('refused', 'failed', 'stopped')";
const OVER = ['paid', 'refused', 'failed', 'stopped'];
const TABLES = [
  `CREATE TABLE IF NOT EXISTS till_refund (name TEXT PRIMARY KEY, order_id TEXT NOT NULL,
    invoice_id TEXT NOT NULL, destination TEXT NOT NULL, amount TEXT NOT NULL,
    currency TEXT NOT NULL, phase TEXT NOT NULL DEFAULT 'new',
    note TEXT NOT NULL DEFAULT '')`,
  // one refund of an order is under way or paid, whoever asks for another one and however often
  `CREATE UNIQUE INDEX IF NOT EXISTS till_refund_once ON till_refund (order_id)
    WHERE phase NOT IN ${NOT_PAID}`,
];
/** An answer is waited for this long, milliseconds; then it is `new`, and the cron asks again. */
const PATIENCE = 15_000;

/**
 * Refunds, each at most once: it is kept before anything is sent, and a journal outlives every
 * crash. Several processes may work on one database.
 */
export class Till {
  readonly #rows: Rows;
  readonly #client: Client;
  readonly #journal: Store;
  readonly #isAlone: boolean;
  #resumed: Promise<unknown> | undefined;
  readonly #runs: Map<string, Promise<void>> = new Map();

  constructor({ driver, client, isAlone }: TillOptions) {
    this.#rows = new Rows(driver, 'SELECT name FROM till_refund LIMIT 1', TABLES);
    this.#client = client;
    this.#journal = sqlStore(driver);
    this.#isAlone = isAlone;
  }

  /** Pays back, once for each name, and for each order until nothing was paid. */
  async refund({ orderId, invoiceId, to, name, money }: RefundWish): Promise<RefundStatus> {
    await this.#rows.run([
      `INSERT INTO till_refund (name, order_id, invoice_id, destination, amount, currency)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ...[name, orderId, invoiceId, to, money?.amount ?? '', money?.currency ?? ''],
    ]);
    const row = await this.#get(name);
    if (row?.order_id !== orderId)
      return { phase: 'refused', note: 'another refund of this order is under way or paid' };
    if (OVER.includes(row.phase)) return row;
    const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([this.#run(row), patience]);
    return (await this.#get(name))!;
  }

  /**
   * Takes up what a crash has left open: the same refund again is the same refund. True: there is
   * some.
   */
  async work(): Promise<boolean> {
    const over = OVER.map((phase) => `'${phase}'`).join();
    const [open] = await this.#rows.run([`SELECT * FROM till_refund WHERE phase NOT IN (${over})`]);
    for (const row of open!) void this.#run(row as unknown as RefundRow);
    return open!.length > 0;
  }

  #run(row: RefundRow): Promise<void> {
    const run =
      this.#runs.get(row.name) ?? this.#payBack(row).finally(() => this.#runs.delete(row.name));
    this.#runs.set(row.name, run);
    return run;
  }

  /**
   * Gives back what is left of what came in for the invoice: all refunds of one invoice together
   * never more.
   */
  async #payBack(row: RefundRow): Promise<void> {
    try {
      const { phase, note } = await this.#play(row);
      await this.#rows.run([
        'UPDATE till_refund SET phase = ?, note = ? WHERE name = ?',
        ...[phase, note, row.name],
      ]);
    } catch {
      this.#resumed = undefined; // the service or the database is away: the next round tries again
    }
  }

  async #play(row: RefundRow): Promise<RefundStatus> {
    const [client, journal] = [this.#client, this.#journal];
    const { name, invoice_id: invoiceId, destination } = row;
    const money = row.amount && { amount: { amount: row.amount, currency: row.currency } };
    try {
      if (this.#isAlone) await (this.#resumed ??= resume(client, { journal }));
      const { amount } = await client.invoices.get(invoiceId);
      const result = await refund(client, {
        invoiceId,
        intent: `refund/${name}`,
        to: destination,
        ...money,
        sourceCurrency: amount.currency,
        maxFee: { percent: '2' },
        journal,
      }).result;
      const why = 'error' in result ? result.error.code : '';
      return { phase: result.phase, note: 'guard' in result && result.guard ? result.guard : why };
    } catch (thrown) {
      // only this is certain, and nothing was sent: the text is no destination
      if (isPaystateError(thrown) && thrown.kind === 'input')
        return { phase: 'refused', note: thrown.code };
      throw thrown;
    }
  }

  async #get(name: string): Promise<RefundRow | undefined> {
    const [rows] = await this.#rows.run(['SELECT * FROM till_refund WHERE name = ?', name]);
    return rows![0] as unknown as RefundRow | undefined;
  }
}
