// Read messages of a queue that another service writes. A malformed one is put aside with its
// reason, and never reaches your code.
import { createClient } from 'paystate';
import { InvoiceSchema } from 'paystate/schemas';
import { createSandbox } from 'paystate/sandbox';
import * as v from 'valibot';

const InvoicePaid = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ kind: v.literal('invoice-paid'), invoice: InvoiceSchema }),
);

export async function readAll(
  messages: readonly string[],
  ship: (order: string) => Promise<void>,
): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const message of messages) {
    const { success, output, issues } = v.safeParse(InvoicePaid, message);
    if (success) await ship(output.invoice.correlationId ?? output.invoice.invoiceId);
    else refused.push(`${v.getDotPath(issues[0]) ?? 'message'}: ${issues[0].message}`);
  }
  return refused;
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '5.00', currency: 'EUR' }, correlationId: 'order-1' };
  const invoice = await sandbox.run(client.invoices.create(draft));
  const messageOf = (one: object) => JSON.stringify({ kind: 'invoice-paid', invoice: one });
  const shipped: string[] = [];
  const messages = [messageOf(invoice), messageOf({ ...invoice, amount: 5 }), '{'];
  const refused = await readAll(messages, async (order) => void shipped.push(order));
  return [shipped, refused.map((reason) => reason.split(':')[0])];
}

if (import.meta.main) console.log(await example());
