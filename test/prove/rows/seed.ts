// Orders and invoices in great number, written as rows without the service.
import type { Stage } from './stage.ts';

/** Adds this many orders with their invoices, events and subjects, as they are when all is done. */
export async function seedRows(stage: Stage, count: number, account = 'main'): Promise<void> {
  const json = await templateOf(stage);
  const day = Date.now();
  const rows = 'FROM generate_series(1, $2::int) AS n';
  await stage.query(
    `INSERT INTO paystate_order (account, order_id, hash, draft, until, invoice_id, receiver_id)
      SELECT $1, 'o' || n, 'h', '{}', 9e12, 'i' || n, 'r' ${rows}`,
    [account, count],
  );
  await stage.query(
    `INSERT INTO paystate_invoice (account, invoice_id, epoch, revision, version, as_of, json, held)
      SELECT $1, 'i' || n, 'e' || n, 1, $4, $4, replace($3, 'ID', 'i' || n),
        '{"state":"UNPAID","sentAt":1,"since":1}' ${rows}`,
    [account, count, json, day],
  );
  await stage.query(
    `INSERT INTO paystate_follow (account, invoice_id, until, since, check_at)
      SELECT $1, 'i' || n, $3, $3, $3::float8 + 2592000000 ${rows}`,
    [account, count, day],
  );
  await stage.query(
    `INSERT INTO paystate_subject (account, subject, number, added)
      SELECT $1, 'invoice:i' || n, 1, 1 ${rows}`,
    [account, count],
  );
  await stage.query(
    `INSERT INTO paystate_event (account, kind, id, subject, body, created_at, received_at, place,
        open) SELECT $1, 'event', 'e' || n, 'invoice:i' || n, '', $3, $3, 1, 0 ${rows}`,
    [account, count, day],
  );
  await stage.query('ANALYZE');
}

/** An invoice as the relay keeps it, with `ID` for its id. */
async function templateOf(stage: Stage): Promise<string> {
  const [row] = await stage.query('SELECT invoice_id, json FROM paystate_invoice LIMIT 1');
  return String(row!['json']).replaceAll(String(row!['invoice_id']), 'ID');
}
