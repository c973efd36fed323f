// Mistakes that users of the sandbox make, each with the exact message. The chapter on faults shows some of them.
import type { Sandbox } from 'paystate/sandbox';

/** What is called, with names that a user reads. */
export type MistakenCall =
  | 'createSandbox'
  | 'sandbox.clientOptionsFor'
  | 'sandbox.fault'
  | 'sandbox.fund'
  | 'sandbox.move'
  | 'sandbox.payer.createBolt11'
  | 'sandbox.payer.pay';

/** A call with its arguments, and the message of the `InputError` without its code. */
export type Mistake = readonly [MistakenCall, readonly unknown[], string];

/** The command of the control with the same effect, and its body; absent where there is none. */
export const bodyOf = (
  call: MistakenCall,
  [first, ...rest]: readonly unknown[],
): readonly [string, unknown] | undefined => {
  switch (call) {
    case 'sandbox.fault':
      return ['faults', first];
    case 'sandbox.fund':
      return ['fund', { account: first, ...(rest[0] as object) }];
    case 'sandbox.move':
      return ['move', { subject: first, id: rest[0], state: rest[1] }];
    case 'sandbox.payer.createBolt11':
      return ['bolt11', first];
    case 'sandbox.payer.pay':
      return ['pay', { target: first, ...(rest[0] as object) }];
    default:
      return undefined;
  }
};

export const make = (sandbox: Sandbox, call: MistakenCall, given: readonly unknown[]): unknown => {
  const functions: Readonly<Record<string, (...given: never[]) => unknown>> = {
    'sandbox.clientOptionsFor': sandbox.clientOptionsFor,
    'sandbox.fault': sandbox.fault,
    'sandbox.fund': sandbox.fund,
    'sandbox.move': sandbox.move,
    'sandbox.payer.createBolt11': sandbox.payer.createBolt11,
    'sandbox.payer.pay': sandbox.payer.pay,
  };
  return functions[call]!(...(given as never[]));
};

const LOST =
  'action: must be "lost-before", "lost-after", "cut-body", "duplicated", "duplicated-last", "undecodable" or "unstable-ties"';

export const MISTAKES: readonly Mistake[] = [
  ['sandbox.fault', [{}], 'rule: must have action, delivery, event or subject'],
  [
    'sandbox.fault',
    [{ method: 'POST', fault: 'lost-after' }],
    'rule: must have action, delivery, event or subject (did you mean action?)',
  ],
  ['sandbox.fault', [{ action: 'lost' }], `${LOST} (did you mean lost-after?)`],
  ['sandbox.fault', [{ action: 'lost_after' }], `${LOST} (did you mean lost-after?)`],
  [
    'sandbox.fault',
    [{ action: {} }],
    'action: must have status, delay, drip, padding, stale or rewrite',
  ],
  [
    'sandbox.fault',
    [{ action: { dellay: 500 } }],
    'action: must have status, delay, drip, padding, stale or rewrite (did you mean delay?)',
  ],
  [
    'sandbox.fault',
    [{ action: { delay: '500' } }],
    'action.delay: must be a number of milliseconds, 0 or more',
  ],
  [
    'sandbox.fault',
    [{ action: { delay: -1 } }],
    'action.delay: must be a number of milliseconds, 0 or more',
  ],
  [
    'sandbox.fault',
    [{ action: { status: '503' } }],
    'action.status: must be a status from 200 to 599',
  ],
  [
    'sandbox.fault',
    [{ action: { status: 99 } }],
    'action.status: must be a status from 200 to 599',
  ],
  [
    'sandbox.fault',
    [{ action: { status: 422, code: 'BALANCE_LOW' } }],
    'action.code: must be an error code of the service; pass any other code as extra.code',
  ],
  [
    'sandbox.fault',
    [{ action: { status: 422, code: 'balance_too_low' } }],
    'action.code: must be an error code of the service; pass any other code as extra.code (did you mean BALANCE_TOO_LOW?)',
  ],
  [
    'sandbox.fault',
    [{ action: { status: 429, header: { 'retry-after': '1' } } }],
    'action.header: is an unknown field (did you mean headers?)',
  ],
  [
    'sandbox.fault',
    [{ action: { rewrite: 'truncate' } }],
    'action.rewrite: must be "truncated", "empty", "wrong-type", "extra-members", "missing-members", "null-members", "unknown-values", "text-status", "wrong-success" or "shuffled" (did you mean truncated?)',
  ],
  [
    'sandbox.fault',
    [{ method: 'get', action: 'lost-after' }],
    'method: must be "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD" or "OPTIONS" (did you mean GET?)',
  ],
  [
    'sandbox.fault',
    [{ path: 'v1/invoices', action: 'lost-after' }],
    'path: must begin with "/" or "*"',
  ],
  [
    'sandbox.fault',
    [{ url: '/v1/invoices', action: 'lost-after' }],
    'url: is an unknown field (did you mean path?)',
  ],
  [
    'sandbox.fault',
    [{ metod: 'GET', action: 'lost-after' }],
    'metod: is an unknown field (did you mean method?)',
  ],
  [
    'sandbox.fault',
    [{ times: 1, action: 'lost-after' }],
    'times: is an unknown field (did you mean nth?)',
  ],
  [
    'sandbox.fault',
    [{ nth: 0, action: 'lost-after' }],
    'nth: must be a whole number, 1 or more, or a list of them',
  ],
  [
    'sandbox.fault',
    [{ nth: [], action: 'lost-after' }],
    'nth: must be a whole number, 1 or more, or a list of them',
  ],
  [
    'sandbox.fault',
    [{ probability: 50, action: 'lost-after' }],
    'probability: must be from 0 to 1',
  ],
  [
    'sandbox.fault',
    [{ from: '2026-01-05', action: 'lost-after' }],
    'from: must be a time in milliseconds since 1970',
  ],
  [
    'sandbox.fault',
    [{ action: 'lost-after', eventType: 'invoice.updated' }],
    'eventType: is an unknown field',
  ],
  [
    'sandbox.fault',
    [{ delivery: 'lost' }],
    'delivery: must be "lost-before", "lost-after", "duplicated", "reordered", "bad-signature", "old-secret", "lower-case", "no-signature", "reserialised", "unknown-type", "unknown-version" or "huge" (did you mean lost-after?)',
  ],
  [
    'sandbox.fault',
    [{ delivery: 'duplicated', eventType: 'invoice.update' }],
    'eventType: must be a type of event (did you mean invoice.updated?)',
  ],
  [
    'sandbox.fault',
    [{ delivery: 'duplicated', attempt: 14 }],
    'attempt: must be the number of an attempt, from 1 to 13',
  ],
  [
    'sandbox.fault',
    [{ event: { late: -1 } }],
    'event.late: must be a number of milliseconds, 0 or more',
  ],
  [
    'sandbox.fault',
    [{ subject: 'payouts', state: 'FAILED' }],
    'subject: must be "payment", "currencyExchangeQuote", "bankPaymentMethod", "payoutOriginator", "payout", "deposit", "receive", "rates", "lightning" or "service" (did you mean payout?)',
  ],
  [
    'sandbox.fault',
    [{ subject: 'payout' }],
    'rule: must set state, delay or both, or it changes nothing',
  ],
  [
    'sandbox.fault',
    [{ subject: 'payout', state: 'failed' }],
    'state: must be "NEW", "INITIATED", "COMPLETED", "FAILED" or "REVERSED" (did you mean FAILED?)',
  ],
  [
    'sandbox.fault',
    [{ subject: 'rates', state: 'AWAY' }],
    'state: must be "AVAILABLE" or "UNAVAILABLE"',
  ],
  [
    'sandbox.fault',
    [{ subject: 'payout', outcome: 'FAILED' }],
    'outcome: is an unknown field (did you mean state?)',
  ],
  [
    'sandbox.payer.pay',
    ['lntb1…', { hold: 5_000 }],
    'hold: is an unknown field (did you mean pendingFor?)',
  ],
  [
    'sandbox.payer.pay',
    ['lntb1…', { amount: 0.001 }],
    'amount: must be a decimal string such as "12.50"',
  ],
  ['sandbox.payer.pay', [''], 'target: must not be empty'],
  ['sandbox.payer.createBolt11', [{ sat: 2_100 }], 'sat: must be a string with a whole number'],
  [
    'sandbox.payer.createBolt11',
    [{ amount: '2100' }],
    'amount: is an unknown field (did you mean sat?)',
  ],
  [
    'sandbox.fund',
    ['shop', { amount: 100, currency: 'EUR' }],
    'amount: must be a decimal string such as "12.50"',
  ],
  [
    'sandbox.fund',
    ['shop', { amount: '100,00', currency: 'EUR' }],
    'amount: must be a decimal string such as "12.50"',
  ],
  [
    'sandbox.fund',
    ['shop', { amount: '100.00', currency: 'eur' }],
    'currency: must be "BTC", "USD", "EUR", "USDT", "GBP" or "AUD" (did you mean EUR?)',
  ],
  [
    'sandbox.fund',
    ['shp', { amount: '100.00', currency: 'EUR' }],
    'account: no account in this sandbox has this handle (did you mean shop?)',
  ],
  [
    'sandbox.move',
    ['invoices', 'an-id', 'REVERSED'],
    'subject: must be "invoice", "payment", "currencyExchangeQuote", "bankPaymentMethod", "payoutOriginator", "payout", "deposit" or "receive" (did you mean invoice?)',
  ],
  [
    'sandbox.clientOptionsFor',
    [{ scopes: ['partner.invoices.read'] }],
    'scopes.0: must be a scope of the service; pass any other scope as extra.scopes (did you mean partner.invoice.read?)',
  ],
  [
    'sandbox.clientOptionsFor',
    [{ handle: 'shop' }],
    'handle: is an unknown field (did you mean account?)',
  ],
  ['createSandbox', [{ sed: 7 }], 'sed: is an unknown field (did you mean seed?)'],
  [
    'createSandbox',
    [{ clock: 'reel' }],
    'clock: must be "auto", "virtual" or "real" (did you mean real?)',
  ],
  [
    'createSandbox',
    [{ startAt: '2026-01-05' }],
    'startAt: must be a whole number of milliseconds since 1970, before the year 3000',
  ],
  [
    'createSandbox',
    [{ rateLimits: { invoices: { limit: 5, window: 60_000, block: 60_000 } } }],
    'rateLimits.invoice-quotes: is missing',
  ],
  [
    'createSandbox',
    [{ quoteLifetimes: { payment: 60 } }],
    'quoteLifetimes.payment: must be a multiple of 1,000 milliseconds',
  ],
  [
    'createSandbox',
    [{ strict: { allow: ['payments.fee'] } }],
    'strict.allow.0: must be the id of a behavior (did you mean payments.fees?)',
  ],
  [
    'createSandbox',
    [{ assume: { 'exchange.fee': 'none' } }],
    'assume.exchange.fee: is an unknown field (did you mean exchanges.fee?)',
  ],
  [
    'createSandbox',
    [{ assume: { 'exchanges.fee': 'nothing' } }],
    'assume.exchanges.fee: must be "0.5-percent", "none" or "0.9-percent"',
  ],
  ['createSandbox', [{ accounts: [{ name: 'shop' }] }], 'accounts.0.name: is an unknown field'],
  [
    'createSandbox',
    [{ accounts: [{ handle: 'shop', balances: { EUR: 100 } }] }],
    'accounts.0.balances.EUR: must be a decimal string such as "12.50"',
  ],
  [
    'createSandbox',
    [{ deliver: 'newtork' }],
    'deliver: must be "network" or a function from Request to Response (did you mean network?)',
  ],
];
