import { type Client, isPaystateError } from 'paystate';
import { refund, resume } from 'paystate/flows';
import type { Money } from 'paystate/money';
import { type SqlDriver, sqlStore, type Store } from 'paystate/stores';
import { Rows } from '../src/rows.ts';

/** The shop's request. The same name is the same refund. */
export type RefundWish = Readonly<Record<'orderId' | 'invoiceId' | 'to' | 'name', string>> & {
  /** If absent, everything that is left. */
  readonly money?: Money;
};

/** The progress of a refund. `paid`, `refused`, `failed` and `stopped` are final. */
export interface RefundStatus {
  readonly phase: string;
  readonly note: string;
}

interface TillOptions {
  /** The database of the refunds and the journal. */
  readonly driver: SqlDriver;
  /** The client whose key may pay. */
  readonly client: Client;
  /**
   * True if no other process uses the database. Then nobody works on refunds that were open at the
   * start.
   */
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
  // only one refund of an order can be under way or paid, however often anybody asks
  `CREATE UNIQUE INDEX IF NOT EXISTS till_refund_once ON till_refund (order_id)
    WHERE phase NOT IN ${NOT_PAID}`,
];
/**
 * The longest wait for an end, milliseconds. After that the status is `new`, and the cron asks
 * again.
 */
const PATIENCE = 15_000;

/**
 * Sends each refund at most once. It's kept before anything is sent, and its journal survives every
 * crash. Several processes may share one database.
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

  /** Sends a refund once for each name. An order gets another one only if nothing was paid. */
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
   * Finishes the refunds that a crash has left open. A repeated refund is the same refund. Returns
   * true if there are any.
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
   * Sends back the rest of an invoice's payments. All refunds of an invoice together never exceed
   * them.
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
      // only this error is certain: the text is no destination, and nothing was sent
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
