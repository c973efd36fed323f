// Check what a user typed into a form before anything is sent: a draft's schema, narrowed to the
// fields of the form, with a box of your own.
import { PayoutDraftSchema } from 'paystate/schemas';
import * as v from 'valibot';

const { amount, reference } = PayoutDraftSchema.entries;

export const PayoutForm = v.object({
  amount,
  reference,
  confirmed: v.literal('on', 'Please confirm the payout.'),
});

/** The messages for each field; no field where all is well. */
export function mistakesIn(form: FormData): Readonly<Record<string, readonly string[]>> {
  const filled = Object.fromEntries([...form].filter(([, value]) => value !== ''));
  const { issues } = v.safeParse(PayoutForm, filled);
  return issues ? (v.flatten<typeof PayoutForm>(issues).nested ?? {}) : {};
}

export async function example() {
  const formOf = (fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };
  const wrong = formOf({ amount: '12,50', reference: 'x'.repeat(200), confirmed: 'on' });
  const right = formOf({ amount: '12.50', reference: '', confirmed: 'on' });
  return [mistakesIn(wrong), mistakesIn(right)];
}

if (import.meta.main) console.log(await example());
