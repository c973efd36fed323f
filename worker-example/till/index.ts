// The Worker that pays back. It has no address of its own: only the shop's Worker reaches it, by its binding. Its key may pay, and the
// shop's key need not: whoever breaks into the Worker that strangers talk to finds no key that sends money.
import { type Client, createClient } from 'paystate';
import { refund, resume } from 'paystate/flows';
import type { Money } from 'paystate/money';
import type { DurableObjectContext } from 'paystate/relay';
import { durableObjectDriver, sqlStore, type Store } from 'paystate/stores';

interface Env {
  readonly SERVICE: string;
  /** May read invoices and pay. */
  readonly PAY_KEY: string;
}

type RefundRow = Record<
  'name' | 'order_id' | 'invoice_id' | 'destination' | 'amount' | 'currency' | 'phase' | 'note',
  string
>;

/** What the shop asks for; without a name only how it stands. */
type Wish = Readonly<Record<'orderId' | 'invoiceId' | 'to' | 'name', string>> & {
  /** Everything that is left when absent. */
  readonly money?: Money;
};

const TABLE = `CREATE TABLE IF NOT EXISTS refunds (name TEXT PRIMARY KEY, order_id TEXT NOT NULL, invoice_id TEXT NOT NULL,
  destination TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL, phase TEXT NOT NULL DEFAULT 'new', note TEXT NOT NULL DEFAULT '', at INTEGER NOT NULL)`;
const OVER = ['paid', 'refused', 'failed', 'stopped'];
const MINUTE = 60_000;
/** An answer is waited for this long, milliseconds; then it is `new`, and the cron asks again. */
const PATIENCE = 15_000;

/** Refunds, each at most once: a journal in this object's database outlives every crash. */
export class Till {
  readonly #storage: DurableObjectContext['storage'];
  readonly #client: Client;
  readonly #journal: Store;
  #resumed: Promise<unknown> | undefined;
  readonly #runs: Map<string, Promise<void>> = new Map();

  constructor({ storage }: DurableObjectContext, env: Env) {
    this.#storage = storage;
    this.#client = createClient({ baseUrl: env.SERVICE, apiKey: env.PAY_KEY });
    this.#journal = sqlStore(durableObjectDriver(storage));
    storage.sql.exec(TABLE);
  }

  async fetch(request: Request): Promise<Response> {
    const { orderId, invoiceId, to, name, money } = (await request.json()) as Wish;
    if (new URL(request.url).pathname === '/refund') {
      await this.#storage.setAlarm(Date.now() + MINUTE); // before the first byte is sent
      this.#storage.sql.exec(
        'INSERT OR IGNORE INTO refunds (name, order_id, invoice_id, destination, amount, currency, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[name, orderId, invoiceId, to, money?.amount ?? '', money?.currency ?? '', Date.now()],
      );
    }
    const latest = () => this.#rows('order_id = ? ORDER BY at DESC LIMIT 1', orderId)[0];
    const row = latest();
    const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE));
    if (row && !OVER.includes(row.phase)) await Promise.race([this.#run(row), patience]);
    const { phase = 'never begun', note = '' } = latest() ?? {};
    return Response.json({ phase, note });
  }

  /** What a crash has left open is taken up: the same refund again is the same refund. */
  async alarm(): Promise<void> {
    const open = this.#rows(`phase NOT IN (${OVER.map((phase) => `'${phase}'`).join()})`);
    if (open.length > 0) await this.#storage.setAlarm(Date.now() + MINUTE);
    for (const row of open) void this.#run(row);
  }

  #run(row: RefundRow): Promise<void> {
    const run =
      this.#runs.get(row.name) ?? this.#payBack(row).finally(() => this.#runs.delete(row.name));
    this.#runs.set(row.name, run);
    return run;
  }

  /** Gives back an amount, or what is left of what came in for the invoice: all refunds of one together never more. */
  async #payBack(row: RefundRow): Promise<void> {
    const { name, invoice_id: invoiceId, destination } = row;
    const [client, journal] = [this.#client, this.#journal];
    const end = (phase: string, note = '') =>
      this.#storage.sql.exec(
        'UPDATE refunds SET phase = ?, note = ? WHERE name = ?',
        phase,
        note,
        name,
      );
    try {
      // there is one of this object: what its last life had under way is nobody else's
      await (this.#resumed ??= resume(client, { journal }));
      const { amount } = await client.invoices.get(invoiceId);
      const result = await refund(client, {
        invoiceId,
        intent: `refund/${name}`,
        to: destination,
        ...(row.amount && { amount: { amount: row.amount, currency: row.currency } as Money }),
        sourceCurrency: amount.currency,
        maxFee: { percent: '2' },
        journal,
      }).result;
      const why = 'error' in result ? result.error.code : '';
      end(result.phase, 'guard' in result && result.guard ? result.guard : why);
    } catch (thrown) {
      this.#resumed = undefined;
      // only this is certain, and nothing was sent: the text is no destination. All else is tried again
      const { kind, code } = thrown as { readonly kind?: string; readonly code?: string };
      if (kind === 'input') end('refused', code);
    }
  }

  #rows(where: string, ...bindings: readonly unknown[]): readonly RefundRow[] {
    return this.#storage.sql
      .exec<RefundRow>(`SELECT * FROM refunds WHERE ${where}`, ...bindings)
      .toArray();
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) };
