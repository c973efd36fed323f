import { badInput } from '../../core/errors/index.ts';
import type { Connection } from '../../core/http/index.ts';
import { isSameMoney } from '../../money/index.ts';
import type { Payment } from '../../resources/payments/model.ts';
import type { Rail } from './rail.ts';
import type { PayRow } from './row.ts';

/**
 * Reads what a person has named as paid: it has to be there, and of the amount that was agreed to. A
 * wrong id would be followed for ever.
 */
export async function checkNamed(
  rail: Rail,
  client: Connection,
  row: PayRow,
  paymentId: string,
): Promise<void> {
  if (row.phase !== 'UNKNOWN') return;
  const options = { reason: 'what a person has named' };
  const { payment } = await rail.read(client, { ...row, paymentId }, options);
  const { totalAmount } = payment as Partial<Payment>;
  if (totalAmount && row.quote && !isSameMoney(totalAmount, row.quote.totalAmount))
    throw badInput('paymentId', 'is of another amount than what was agreed to');
}
