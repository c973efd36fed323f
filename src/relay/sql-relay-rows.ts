import { sameContent } from '../core/watch.ts';
import type { Invoice, InvoiceDraft } from '../resources/invoices.ts';
import type { SqlRow } from '../stores/index.ts';
import type { NewOrder } from './calls.ts';
import { GatheredRows } from './gathered.ts';
import type { RelayTables } from './relay-tables.ts';
import type {
  CheckResult,
  DueCheck,
  HeldFacts,
  InvoiceRow,
  InvoiceWrite,
  KeptQuote,
  KnownRow,
  OpenedOrder,
  OrderRow,
} from './relay-store.ts';
import {
  CLOCK,
  MAX,
  MIN,
  NEVER,
  NOW,
  OPENED,
  formatRows,
  SKIP_LOCKED,
  sql,
  type SqlPart,
} from './sql-text.ts';

/** How long an invoice that isn't shown on any page is kept, in milliseconds. */
const KEEP = 2_592_000_000;
/** The interval at which pages get a confirmation that an invoice is unchanged, in milliseconds. */
const CONFIRM_EVERY = 15_000;
/** The delay until the first check after an invoice was created or read, in milliseconds. */
const FIRST_CHECK = 2_000;

/**
 * If an invoice's next check is further away than this, in milliseconds, the invoice isn't shown on
 * any page. Its checks only delete rows.
 */
const SHOWN_AT_MOST = 3_600_000;

/** The period within which due checks are sent together, in milliseconds. */
const TOGETHER = 1_000;

export class SqlRelayRows {
  protected readonly tables: RelayTables;
  readonly #orders: GatheredRows<OrderRow>;
  readonly #invoices: GatheredRows<InvoiceRow>;
  readonly #newEpoch: () => string;

  /**
   * @param newEpoch returns a different string with each call
   */
  constructor(tables: RelayTables, newEpoch: () => string) {
    this.tables = tables;
    this.#orders = new GatheredRows((keys) => this.#findOrders(keys));
    this.#invoices = new GatheredRows((keys) => this.#findInvoices(keys));
    this.#newEpoch = newEpoch;
  }

  ready(): Promise<void> {
    return this.tables.ready();
  }

  protected write(account: string, parts: readonly SqlPart[]): ReturnType<RelayTables['batch']> {
    return this.tables.batch(parts, { name: account, width: 2 });
  }

  async addOrder(account: string, order: NewOrder): Promise<number | undefined> {
    const { orderId, hash, draft, until } = order;
    const text = JSON.stringify(draft);
    const [, [row]] = (await this.write(account, [
      sql`INSERT INTO {}_order (account, order_id, hash, draft, until)
        VALUES (${account}, ${orderId}, ${hash}, ${text}, ${until})
        ON CONFLICT (account, order_id) DO NOTHING RETURNING order_id`,
      formatOrder(account, orderId),
    ])) as [readonly SqlRow[], [SqlRow]];
    const isSame = row['hash'] === hash && sameContent(JSON.parse(row['draft'] as string), draft);
    return isSame ? (row['until'] as number) : undefined;
  }

  order(account: string, orderId: string): Promise<OrderRow | undefined> {
    return this.#orders.get(makeKey(account, orderId));
  }

  async openOrder(
    account: string,
    orderId: string,
    process: string,
    ms: number,
  ): Promise<OpenedOrder | undefined> {
    const [taken, [row]] = (await this.write(account, [
      sql`UPDATE {}_order SET opener = ${process}, open_until = ${CLOCK} + ${ms}
        WHERE account = ${account} AND order_id = ${orderId} AND invoice_id IS NULL
          AND open_until <= ${NOW} RETURNING order_id`,
      formatOrder(account, orderId),
    ])) as [readonly SqlRow[], [SqlRow | undefined]];
    return row && { order: orderFrom(row), isOurTurn: taken.length > 0 };
  }

  async setOrderInvoice(
    account: string,
    orderId: string,
    { invoiceId, receiverId }: Invoice,
  ): Promise<string | undefined> {
    const [, [order] = []] = await this.write(account, [
      sql`UPDATE {}_order SET invoice_id = ${invoiceId}, receiver_id = ${receiverId}, opener = NULL,
        open_until = ${OPENED} WHERE account = ${account} AND order_id = ${orderId} AND invoice_id IS NULL`,
      formatOrder(account, orderId),
    ]);
    return (order?.['invoice_id'] as string | null | undefined) ?? undefined;
  }

  async leaveOrder(account: string, orderId: string, process: string): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_order SET opener = NULL, open_until = ${OPENED}
        WHERE account = ${account} AND order_id = ${orderId} AND opener = ${process}`,
    ]);
  }

  async holdOrder(account: string, orderId: string): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_order SET held_until = ${NEVER}
        WHERE account = ${account} AND order_id = ${orderId}`,
    ]);
  }

  releaseOrder(account: string, orderId: string): SqlPart {
    return sql`UPDATE {}_order SET held_until = ${CLOCK}
      WHERE account = ${account} AND order_id = ${orderId}`;
  }

  async findOrdered(account: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.tables.read(
      sql`SELECT o.invoice_id FROM ${formatRows(PAIR, listPairs(account, ids))}
        JOIN {}_order o ON o.account = given.account AND o.invoice_id = given.id`,
    );
    return new Set(rows.map((row) => row['invoice_id'] as string));
  }

  /** Reads invoices. If concurrent callers each request a single invoice, they share a query. */
  async invoices(account: string, ids: readonly string[]): Promise<readonly InvoiceRow[]> {
    if (ids.length === 1) {
      const row = await this.#invoices.get(makeKey(account, ids[0]!));
      return row ? [row] : [];
    }
    const rows = await this.tables.read(
      sql`SELECT ${invoiceColumns()} FROM ${formatRows(PAIR, listPairs(account, ids))}
        JOIN {}_invoice i ON i.account = given.account AND i.invoice_id = given.id
          ${joinFollow()}`,
    );
    return rows.map(invoiceFrom);
  }

  async writeInvoice(
    account: string,
    invoiceId: string,
    revision: number,
    { asOf, value, held, unconfirmed: state, isNews }: InvoiceWrite,
  ): Promise<boolean> {
    const unconfirmed = state ?? null;
    const [json, facts] = [JSON.stringify(value), JSON.stringify(held)];
    const write =
      revision === 0
        ? sql`INSERT INTO {}_invoice (account, invoice_id, epoch, revision, version, as_of, json,
              held, unconfirmed)
            VALUES (${account}, ${invoiceId}, ${this.#newEpoch()}, 1, ${CLOCK}, ${asOf}, ${json},
              ${facts}, ${unconfirmed})
            ON CONFLICT (account, invoice_id) DO NOTHING RETURNING revision`
        : sql`UPDATE {}_invoice SET revision = revision + 1, as_of = ${asOf}, json = ${json},
              held = ${facts}, unconfirmed = ${unconfirmed},
              version = ${isNews ? sql`${MAX}(version + 1, ${CLOCK})` : sql`version`}
            WHERE account = ${account} AND invoice_id = ${invoiceId} AND revision = ${revision}
            RETURNING revision`;
    return (await this.write(account, [write]))[0]!.length > 0;
  }

  async claimQuote(
    account: string,
    invoiceId: string,
    process: string,
    ms: number,
  ): Promise<boolean> {
    const [taken] = await this.write(account, [
      sql`UPDATE {}_invoice SET quoter = ${process}, quote_until = ${CLOCK} + ${ms}
        WHERE account = ${account} AND invoice_id = ${invoiceId} AND quote_until <= ${NOW}
        RETURNING invoice_id`,
    ]);
    return taken!.length > 0;
  }

  async setQuote(account: string, invoiceId: string, quote: KeptQuote): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_invoice SET quote = ${JSON.stringify(quote)}, quoter = NULL, quote_until = 0,
        revision = revision + 1, version = ${MAX}(version + 1, ${CLOCK})
        WHERE account = ${account} AND invoice_id = ${invoiceId}`,
    ]);
  }

  async leaveQuote(account: string, invoiceId: string, process: string): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_invoice SET quoter = NULL, quote_until = 0
        WHERE account = ${account} AND invoice_id = ${invoiceId} AND quoter = ${process}`,
    ]);
  }

  async follow(account: string, ids: readonly string[], ms: number): Promise<void> {
    if (ids.length === 0) return;
    await this.write(account, [
      sql`INSERT INTO {}_follow (account, invoice_id, until, since, check_at)
        SELECT CAST(${account} AS TEXT), given.id, ${CLOCK} + ${ms}, ${CLOCK},
          CASE WHEN i.invoice_id IS NULL THEN 0 ELSE ${CLOCK} + ${FIRST_CHECK} END
          FROM ${formatIds([...ids].sort())}
          LEFT JOIN {}_invoice i ON i.account = ${account} AND i.invoice_id = given.id
          WHERE 1 = 1 ORDER BY given.id
        ON CONFLICT (account, invoice_id) DO UPDATE SET
          since = CASE WHEN {}_follow.until > ${CLOCK} THEN {}_follow.since ELSE excluded.since END,
          check_at = CASE WHEN {}_follow.until > ${CLOCK} THEN {}_follow.check_at
            ELSE ${MIN}({}_follow.check_at, excluded.check_at) END,
          until = ${MAX}({}_follow.until, excluded.until)`,
    ]);
  }

  async newer(known: readonly KnownRow[]): Promise<readonly InvoiceRow[]> {
    if (known.length === 0) return [];
    const columns = {
      account: 'TEXT',
      id: 'TEXT',
      version: 'DOUBLE PRECISION',
      seen: 'DOUBLE PRECISION',
    } as const;
    const given = known.map(({ account, invoiceId: id, version, seen }) => ({
      ...{ account, id, version, seen },
    }));
    const rows = await this.tables.read(
      sql`SELECT ${invoiceColumns()} FROM ${formatRows(columns, given)}
        JOIN {}_invoice i ON i.account = given.account AND i.invoice_id = given.id ${joinFollow()}
        WHERE i.version > given.version OR ${seen()} > given.seen + ${CONFIRM_EVERY}`,
    );
    return rows.map(invoiceFrom);
  }

  async takeChecks(
    account: string,
    process: string,
    limit: number,
    ms: number,
  ): Promise<readonly DueCheck[]> {
    const [rows] = await this.write(account, [
      sql`UPDATE {}_follow SET reader = ${process}, read_until = ${CLOCK} + ${ms}
        WHERE account = ${account} AND invoice_id IN (SELECT invoice_id FROM {}_follow
          WHERE account = ${account} AND check_at <= ${NOW} + ${TOGETHER} AND read_until <= ${NOW}
          ORDER BY check_at LIMIT ${limit} ${SKIP_LOCKED})
        RETURNING invoice_id, until - ${NOW} AS left_ms, ${NOW} - since AS age`,
    ]);
    return rows!.map((row) => ({
      invoiceId: row['invoice_id'] as string,
      isOver: (row['left_ms'] as number) <= 0,
      isOld: (row['left_ms'] as number) <= -KEEP,
      followedFor: row['age'] as number,
    }));
  }

  async drop(account: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const given = sql`(SELECT given.id FROM ${formatIds(ids)})`;
    await this.write(account, [
      sql`DELETE FROM {}_follow WHERE account = ${account} AND invoice_id IN ${given}`,
      sql`DELETE FROM {}_invoice WHERE account = ${account} AND invoice_id IN ${given}`,
    ]);
  }

  async endChecks(
    account: string,
    process: string,
    results: readonly CheckResult[],
  ): Promise<void> {
    if (results.length === 0) return;
    const columns = { ...PAIR, check_in: 'DOUBLE PRECISION' } as const;
    const given = results
      .map(({ invoiceId: id, checkIn }) => ({ account, id, check_in: checkIn ?? null }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    await this.write(account, [
      sql`UPDATE {}_follow SET reader = NULL, read_until = 0,
        check_at = CASE WHEN until <= ${CLOCK} THEN until + ${KEEP}
          ELSE coalesce(${CLOCK} + given.check_in, check_at) END
        FROM ${formatRows(columns, given)}
        WHERE {}_follow.account = given.account AND {}_follow.invoice_id = given.id
          AND {}_follow.reader = ${process}`,
    ]);
  }

  async claimRead(
    account: string,
    invoiceId: string,
    process: string,
    ms: number,
  ): Promise<boolean> {
    const [, taken] = await this.write(account, [
      sql`INSERT INTO {}_follow (account, invoice_id, until, since, check_at)
        VALUES (${account}, ${invoiceId}, ${CLOCK}, ${CLOCK}, ${CLOCK} + ${2 * ms})
        ON CONFLICT (account, invoice_id) DO NOTHING`,
      sql`UPDATE {}_follow SET reader = ${process}, read_until = ${CLOCK} + ${ms}
        WHERE account = ${account} AND invoice_id = ${invoiceId}
          AND (read_until <= ${NOW} OR reader = ${process}) RETURNING invoice_id`,
    ]);
    return taken!.length > 0;
  }

  async confirm(
    account: string,
    sentAt: number,
    invoices: readonly { readonly invoiceId: string; readonly mayLag: boolean }[],
  ): Promise<void> {
    if (invoices.length === 0) return;
    const columns = { ...PAIR, lag: 'DOUBLE PRECISION' } as const;
    const given = invoices
      .map(({ invoiceId: id, mayLag }) => ({ account, id, lag: mayLag ? 30_000 : 0 }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    await this.write(account, [
      sql`UPDATE {}_follow SET announced = 0,
        seen = ${MAX}(seen, CAST(${sentAt} AS DOUBLE PRECISION))
        FROM ${formatRows(columns, given)}
        WHERE {}_follow.account = given.account AND {}_follow.invoice_id = given.id
          AND (announced = 0 OR announced + given.lag <= ${sentAt})`,
    ]);
  }

  async checkNow(account: string): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_follow SET check_at = ${NOW}
        WHERE account = ${account} AND check_at > ${NOW} AND until > ${NOW}`,
    ]);
  }

  async untold(account: string): Promise<readonly string[]> {
    const rows = await this.tables.read(
      sql`SELECT f.invoice_id FROM {}_follow f JOIN {}_invoice i ON i.account = f.account
        AND i.invoice_id = f.invoice_id
        WHERE f.account = ${account} AND f.check_at < ${NOW} + ${SHOWN_AT_MOST}
          AND f.until > ${NOW} AND i.version > f.told`,
    );
    return rows.map((row) => row['invoice_id'] as string);
  }

  async setTold(account: string, invoiceId: string, version: number): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_follow SET told = ${version}
        WHERE account = ${account} AND invoice_id = ${invoiceId} AND told < ${version}`,
    ]);
  }

  async countFollowed(account: string): Promise<number> {
    const [row] = await this.tables.read(
      sql`SELECT CAST(count(*) AS INTEGER) AS count FROM {}_follow
        WHERE account = ${account} AND check_at < ${NOW} + ${SHOWN_AT_MOST} AND until > ${NOW}`,
    );
    return row!['count'] as number;
  }

  async #findOrders(keys: readonly string[]): Promise<ReadonlyMap<string, OrderRow>> {
    const rows = await this.tables.read(
      sql`SELECT o.account, ${orderColumns()} FROM ${formatRows(PAIR, keys.map(splitKey))}
        JOIN {}_order o ON o.account = given.account AND o.order_id = given.id`,
    );
    const keyed = rows.map((row) => [row['account'] as string, orderFrom(row)] as const);
    return new Map(keyed.map(([account, order]) => [makeKey(account, order.orderId), order]));
  }

  async #findInvoices(keys: readonly string[]): Promise<ReadonlyMap<string, InvoiceRow>> {
    const rows = await this.tables.read(
      sql`SELECT ${invoiceColumns()} FROM ${formatRows(PAIR, keys.map(splitKey))}
        JOIN {}_invoice i ON i.account = given.account AND i.invoice_id = given.id ${joinFollow()}`,
    );
    const found = rows.map(invoiceFrom);
    return new Map(found.map((row) => [makeKey(row.account, row.invoiceId), row]));
  }
}

const PAIR = { account: 'TEXT', id: 'TEXT' } as const;
/** the separator is a slash, which account names don't contain */
const makeKey = (account: string, id: string): string => `${account}/${id}`;

function splitKey(key: string): { account: string; id: string } {
  const at = key.indexOf('/');
  return { account: key.slice(0, at), id: key.slice(at + 1) };
}

/**
 * Returns pairs of account and id for a join on both columns. If the account were a single value,
 * SQLite would read all rows of the account and search the ids for each row.
 */
function listPairs(
  account: string,
  ids: readonly string[],
): readonly { account: string; id: string }[] {
  return ids.map((id) => ({ account, id }));
}

/** Returns a table of ids with the alias `given`. */
export function formatIds(ids: readonly string[]): SqlPart {
  return formatRows(
    { id: 'TEXT' },
    ids.map((id) => ({ id })),
  );
}

const orderColumns = (): SqlPart =>
  sql`o.order_id, o.hash, o.draft, o.invoice_id, o.receiver_id, o.until`;

function formatOrder(account: string, orderId: string): SqlPart {
  return sql`SELECT ${orderColumns()} FROM {}_order o
    WHERE o.account = ${account} AND o.order_id = ${orderId}`;
}

function orderFrom(row: SqlRow): OrderRow {
  return {
    orderId: row['order_id'] as string,
    hash: row['hash'] as string,
    draft: JSON.parse(row['draft'] as string) as InvoiceDraft,
    invoiceId: (row['invoice_id'] as string | null) ?? undefined,
    receiverId: (row['receiver_id'] as string | null) ?? undefined,
    until: row['until'] as number,
  };
}

/**
 * Returns when the row was last confirmed, either by its own read or by a feed read without events
 * for it.
 */
const seen =
  (): SqlPart => sql`CASE WHEN f.announced = 0 AND f.until > ${NOW} AND f.since <= a.true_at
  AND a.true_at > f.seen THEN a.true_at ELSE f.seen END`;
const invoiceColumns =
  (): SqlPart => sql`i.account, i.invoice_id, i.epoch, i.revision, i.version, i.as_of, i.json,
  i.held, i.unconfirmed, i.quote, ${seen()} AS seen, f.announced,
  CASE WHEN f.until > ${NOW} THEN f.since END AS since`;
const joinFollow =
  (): SqlPart => sql`LEFT JOIN {}_follow f ON f.account = i.account AND f.invoice_id = i.invoice_id
  LEFT JOIN {}_account a ON a.account = i.account`;

function invoiceFrom(row: SqlRow): InvoiceRow {
  const quote = (row['quote'] as string | null) ?? undefined;
  const asOf = row['as_of'] as number;
  return {
    account: row['account'] as string,
    invoiceId: row['invoice_id'] as string,
    epoch: row['epoch'] as string,
    revision: row['revision'] as number,
    version: row['version'] as number,
    asOf,
    value: JSON.parse(row['json'] as string) as Invoice,
    held: JSON.parse(row['held'] as string) as HeldFacts,
    unconfirmed: (row['unconfirmed'] as string | null) ?? undefined,
    quote: quote === undefined ? undefined : (JSON.parse(quote) as KeptQuote),
    seen: Math.max(asOf, (row['seen'] as number | null) ?? 0),
    since: (row['since'] as number | null) ?? Infinity,
    announced: (row['announced'] as number | null) ?? 0,
  };
}
