import type { CheckoutView, QuoteProblem } from 'paystate/flows';
import { type Freshness, isPaystateError, type PaystateError } from 'paystate';
import { formatMoney } from 'paystate/money';
import { locale } from './page.ts';

/** What a phase looks and sounds like. */
export interface PhaseText {
  readonly title: string;
  readonly text: string;
  /** Drawn where the code would be. */
  readonly glyph: 'wait' | 'check' | 'pause' | 'cross' | 'back' | 'ask';
}

const PHASES: Readonly<Record<Exclude<CheckoutView['phase'], 'failed'>, PhaseText>> = {
  loading: { title: 'Opening your order', text: 'One moment, please.', glyph: 'wait' },
  awaiting: {
    title: 'Waiting for your payment',
    text: 'Scan the code with a Lightning wallet, copy it, or open your wallet here.',
    glyph: 'wait',
  },
  renewing: {
    title: 'Fetching a fresh code',
    text: 'The last one has ended. Please do not pay it any more; a new one is on its way.',
    glyph: 'wait',
  },
  paused: {
    title: 'Paused while you are away',
    text: 'A fresh code appears when you come back to this page.',
    glyph: 'pause',
  },
  pending: {
    title: 'Your payment is on its way',
    text: 'The network has it. Nothing more to do for you; please do not pay twice.',
    glyph: 'wait',
  },
  paid: {
    title: 'Paid. Thank you!',
    text: 'We have your payment and start packing.',
    glyph: 'check',
  },
  cancelled: {
    title: 'This order was cancelled',
    text: 'Nothing is owed. You are welcome to choose again.',
    glyph: 'cross',
  },
  reversed: {
    title: 'Your payment was sent back',
    text: 'The order is not paid any more. You are welcome to choose again.',
    glyph: 'back',
  },
  unknown: {
    title: 'This state is new to us',
    text: 'We keep looking and will say more as soon as we can. Please do not pay for now.',
    glyph: 'ask',
  },
  unsafe: { title: 'We cannot show a code', text: '', glyph: 'cross' },
};

const PROBLEMS: Readonly<Record<QuoteProblem, string>> = {
  QUOTE_UNREADABLE: 'The code that we were given cannot be read.',
  QUOTE_AMOUNT_DIFFERS: 'The code asks for another amount than we agreed on.',
  QUOTE_PRICE_DIFFERS: 'The code is for another price than that of your order.',
  QUOTE_DESCRIPTION_DIFFERS: 'The code is for something else than your order.',
  QUOTE_END_DIFFERS: 'The code would be payable longer than its rate holds.',
  QUOTE_NETWORK_CHANGED: 'The code is suddenly for another network.',
  QUOTE_PAYEE_CHANGED: 'The code would suddenly pay somebody else.',
};

export function phaseText(view: CheckoutView): PhaseText {
  if (view.phase === 'failed') return brokenText(view.error);
  const text = PHASES[view.phase];
  if (view.phase !== 'unsafe') return text;
  const problem =
    (PROBLEMS as Readonly<Record<string, string>>)[view.problem] ??
    `The service refuses (${view.problem}).`;
  return { ...text, text: `${problem} Please do not pay; your order is kept.` };
}

/** A checkout that cannot go on at all. */
export function brokenText(thrown: unknown): PhaseText {
  const code = isPaystateError(thrown) ? ` (${thrown.code})` : '';
  return {
    title: 'This page has lost sight of the order',
    text: `The service does not let us look${code}. If you have paid, it is not lost: ask the shop.`,
    glyph: 'ask',
  };
}

const FRESHNESS: Readonly<Record<Freshness, string>> = {
  live: '',
  loading: '',
  failed: '',
  stale: 'No answer just now. What you see may be a little old; we keep asking.',
  offline: 'You are offline. We look again as soon as you are back.',
  blocked: 'The service asked us to wait. We look again as soon as we may.',
};

/** Calm words on what stands in the way; empty when nothing does. */
export function troubleText(view: CheckoutView): string {
  if (view.phase === 'loading') return view.error === undefined ? '' : FRESHNESS.stale;
  if (view.phase === 'failed') return '';
  if (view.error !== undefined && view.freshness === 'live')
    return 'That took more than one try. We keep asking.';
  return FRESHNESS[view.freshness];
}

/** Why an order could not be left: it may be paid already, and then nobody walks away from it. */
export function stayText(thrown: unknown): string {
  const moved =
    isPaystateError(thrown) && /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(thrown.code);
  return moved
    ? 'A payment for this order has already been seen, so it stays open.'
    : 'The service did not answer, so the order stays open. Please try again.';
}

/** Why an order could not be opened: the field and its rule, or what to do now. */
export function orderProblem(thrown: unknown): string {
  if (!isPaystateError(thrown))
    return 'Something in this page went wrong. Your order is kept; please try again.';
  const fields = Object.entries(thrown.validationErrors ?? {}).map(
    ([field, [issue]]) => `${nameOf(field)}: ${issue?.message ?? 'is not accepted'}.`,
  );
  if (fields.length > 0) return fields.join(' ');
  if (thrown.kind === 'limited')
    return 'There are too many orders right now. Please wait a minute and press again.';
  if (thrown.kind === 'unreachable')
    return 'The service did not answer. Press again: the order keeps its number and cannot be made twice.';
  return refusalText(thrown);
}

function refusalText({ code, values }: PaystateError): string {
  if (code === 'AMOUNT_TOO_HIGH') return `Amount: must be at most ${limitText(values?.['limit'])}.`;
  if (code === 'AMOUNT_TOO_LOW' || code === 'INVALID_AMOUNT')
    return 'Amount: is too small to be paid.';
  return `The service refuses this order (${code}). Nothing was charged.`;
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
