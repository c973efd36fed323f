// Compares the parcels with the paid invoices of the service, and lists what the database may have
// lost in a failover or a restore: docker compose exec one node reconcile.ts 2026-11-01
import { whereInvoice } from 'paystate';
import { client, pool } from './settings.ts';

const from = new Date(process.argv[2] ?? '');
if (Number.isNaN(from.getTime())) throw new Error('say since when, such as 2026-11-01');

/** Prints a difference when it's found. The program ends with 1 if there's any. */
function report(line: string): void {
  console.log(line);
  process.exitCode = 1;
}

const { rows } = await pool.query('SELECT order_id FROM parcels WHERE paid_at >= $1', [from]);
const unpaid = new Set(rows.map((row) => String(row['order_id'])));
const paid = whereInvoice((invoice) => invoice.state.eq('PAID').and(invoice.created.ge(from)));
for await (const invoice of client.invoices.list(paid)) {
  const { invoiceId, correlationId = '', issuerId, receiverId } = invoice;
  if (issuerId !== receiverId) continue; // another account made it, so it's no order of this shop
  const known = await pool.query('SELECT 1 FROM parcels WHERE order_id = $1', [correlationId]);
  if (known.rows.length === 0) report(`paid, no parcel: order ${correlationId}, ${invoiceId}`);
  unpaid.delete(correlationId);
}
// The invoices of these orders are older than that day, or no longer paid.
for (const orderId of unpaid) {
  const invoices = client.invoices.list({ correlationId: orderId });
  const states = (await invoices.toArray({ limit: 2 })).map(({ state }) => state);
  if (!states.includes('PAID'))
    report(`parcel, not paid: order ${orderId}, ${states.join() || 'no invoice'}`);
}
await pool.end();
