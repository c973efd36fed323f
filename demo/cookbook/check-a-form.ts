// Check a form before you send anything. Build your schema from members of the drafts' schemas.
import { InvoiceDraftSchema, PayoutDraftSchema } from 'paystate/schemas';
import * as v from 'valibot';

export const OrderForm = v.object({
  amount: PayoutDraftSchema.entries.amount,
  correlationId: InvoiceDraftSchema.entries.correlationId,
  confirmed: v.literal('on', 'Please confirm the order.'),
});

/** Returns the messages for each field, and leaves out correct fields. */
export function mistakesIn(form: FormData): Readonly<Record<string, readonly string[]>> {
  const filled = Object.fromEntries([...form].filter(([, value]) => value !== ''));
  const { issues } = v.safeParse(OrderForm, filled);
  return issues ? (v.flatten<typeof OrderForm>(issues).nested ?? {}) : {};
}

export async function example() {
  const formOf = (fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };
  const wrong = formOf({ amount: '12,50', correlationId: 'x'.repeat(200), confirmed: 'on' });
  const right = formOf({ amount: '12.50', correlationId: '', confirmed: 'on' });
  return [mistakesIn(wrong), mistakesIn(right)];
}

if (import.meta.main) console.log(await example());
