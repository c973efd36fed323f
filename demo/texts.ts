import { isPaystateError, type PaystateError } from 'paystate';
import { formatMoney } from 'paystate/money';
import { locale } from './page.ts';

/** Returns why the customer can't leave an order. It may be paid already. */
export function stayText(thrown: unknown): string {
  const moved =
    isPaystateError(thrown) && /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(thrown.code);
  return moved
    ? 'A payment for this order has already been seen, so it stays open.'
    : 'The service did not answer, so the order stays open. Try again.';
}

/** Returns why an order couldn't be opened, with the field and its rule, or with the next step. */
export function orderProblem(thrown: unknown): string {
  if (!isPaystateError(thrown))
    return 'Something went wrong on this page. Your order is kept. Try again.';
  const fields = Object.entries(thrown.validationErrors ?? {}).map(
    ([field, [issue]]) => `${nameOf(field)}: ${issue?.message ?? 'is not accepted'}.`,
  );
  if (fields.length > 0) return fields.join(' ');
  if (thrown.kind === 'limited')
    return 'There are too many orders right now. Wait a minute, then try again.';
  if (thrown.kind === 'unreachable')
    return 'The service did not answer. Try again: your order keeps its number, so it can’t be placed twice.';
  return refusalText(thrown);
}

function refusalText({ code, values }: PaystateError): string {
  if (code === 'AMOUNT_TOO_HIGH') return `Amount: must be at most ${limitText(values?.['limit'])}.`;
  if (code === 'AMOUNT_TOO_LOW' || code === 'INVALID_AMOUNT') return 'Amount: is too small to pay.';
  return `The service refused this order (${code}). You were not charged.`;
}

function limitText(limit: unknown): string {
  const { amount, currency } = (limit ?? {}) as { amount?: unknown; currency?: unknown };
  if (typeof amount !== 'string' || typeof currency !== 'string') return 'what the service allows';
  return formatMoney({ amount, currency }, { locale });
}

const FIELDS: Readonly<Record<string, string>> = {
  'amount.amount': 'Amount',
  amount: 'Amount',
  'amount.currency': 'Currency',
  description: 'Description',
};

function nameOf(field: string): string {
  return FIELDS[field] ?? field;
}
