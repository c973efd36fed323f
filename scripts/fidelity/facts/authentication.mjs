// Credentials and scopes.
import { asks, scoped } from '../checks.mjs';
import { refusedKey } from '../checks-stories.mjs';
import { section } from '../section.mjs';

// biome-ignore format: one line an endpoint
const SCOPES = [
  ['S', 'POST /v1/payment-quotes/lightning', 'partner.payment-quote.lightning.create'],
  ['S', 'PATCH /v1/payment-quotes/{id}/execute', 'partner.payment-quote.execute'],
  ['S', 'PATCH /v1/invoices/{id}/cancel', 'partner.invoice.cancel'],
  ['', 'POST /v1/invoices', 'partner.invoice.create'],
  ['', 'POST /v1/invoices/handle/shop', 'partner.invoice.create-for-receiver'],
  ['', 'GET /v1/invoices', 'partner.invoice.read'],
  ['', 'GET /v1/invoices/{id}', 'partner.invoice.read'],
  ['', 'POST /v1/invoices/{id}/quote', 'partner.invoice.quote.generate'],
  ['', 'POST /v1/payment-quotes/lightning/lnurl', 'partner.payment-quote.lightning.create'],
  ['', 'GET /v1/payment-quotes/lightning/lnurl/ada%40wallet.example', 'partner.payment-quote.lightning.create'],
  ['', 'POST /v1/payment-quotes/onchain', 'partner.payment-quote.onchain.create'],
  ['', 'POST /v1/payment-quotes/onchain/tiers', 'partner.payment-quote.onchain.create'],
  ['', 'GET /v1/payments/{id}', 'partner.payment.read'],
  ['', 'POST /v1/currency-exchange-quotes', 'partner.currency-exchange-quote.create'],
  ['', 'GET /v1/currency-exchange-quotes/{id}', 'partner.currency-exchange-quote.read'],
  ['', 'PATCH /v1/currency-exchange-quotes/{id}/execute', 'partner.currency-exchange-quote.execute'],
  ['', 'POST /v1/payment-methods/bank', 'partner.payment-method.bank.create'],
  ['', 'GET /v1/payment-methods/bank', 'partner.payment-method.bank.read'],
  ['', 'GET /v1/payment-methods/bank/{id}', 'partner.payment-method.bank.read'],
  ['', 'POST /v1/payout-originators', 'partner.payout-originator.create'],
  ['', 'GET /v1/payout-originators', 'partner.payout-originator.read'],
  ['', 'GET /v1/payout-originators/{id}', 'partner.payout-originator.read'],
  ['', 'DELETE /v1/payout-originators/{id}', 'partner.payout-originator.delete'],
  ['', 'POST /v1/payouts', 'partner.payout.create'],
  ['', 'GET /v1/payouts', 'partner.payout.read'],
  ['', 'GET /v1/payouts/{id}', 'partner.payout.read'],
  ['', 'PATCH /v1/payouts/{id}/initiate', 'partner.payout.initiate'],
  ['', 'GET /v1/balances', 'partner.balances.read'],
  ['', 'POST /v1/deposits', 'partner.deposit.manage'],
  ['', 'GET /v1/deposits', 'partner.deposit.manage'],
  ['', 'GET /v1/deposits/{id}', 'partner.deposit.manage'],
  ['', 'POST /v1/deposits/fee', 'partner.deposit.manage'],
  ['', 'GET /v1/accounts/limits', 'partner.account.profile.read-own'],
  ['', 'GET /v1/accounts/{id}/profile', 'partner.account.profile.read'],
  ['', 'GET /v1/accounts/handle/shop/profile', 'partner.account.profile.read'],
  ['', 'GET /v1/rates/ticker', 'partner.rates.ticker'],
  ['', 'POST /v1/receive-request', 'partner.receive-request.create'],
  ['', 'GET /v1/receive-requests', 'partner.receive-request.read'],
  ['', 'GET /v1/receive-requests/{id}', 'partner.receive-request.read'],
  ['', 'GET /v1/receive-requests/{id}/receives', 'partner.receive-request.read'],
  ['', 'GET /v1/receive-requests/receives', 'partner.receive-request.read'],
  ['', 'GET /v1/events', 'partner.webhooks.manage'],
  ['', 'POST /v1/subscriptions', 'partner.webhooks.manage'],
  ['', 'GET /v1/subscriptions', 'partner.webhooks.manage'],
  ['', 'GET /v1/subscriptions/{id}', 'partner.webhooks.manage'],
  ['', 'PATCH /v1/subscriptions/{id}', 'partner.webhooks.manage'],
  ['', 'DELETE /v1/subscriptions/{id}', 'partner.webhooks.manage'],
];

const ALL = [...new Set(SCOPES.map(([, , scope]) => scope))];

export const scopes = section(
  'scopes',
  SCOPES.map(([source, call, scope]) => [
    source ? 'Authentication 4' : 'wire 1.3',
    `${call} needs a credential, and of its scopes ${scope} alone.`,
    scoped(call, scope, ALL),
  ]),
);

const BALANCES = 'GET /v1/balances';

// biome-ignore format: one line a fact
export const authentication = section('authentication', [
  ['Authentication 2', 'A key that the service never made is unauthorized.', refusedKey('Bearer nothing-that-exists')],
  ['Authentication', 'A credential without the word Bearer is none.', refusedKey((key) => key)],
  ['Authentication', 'A key sent as Basic is none.', refusedKey((key) => `Basic ${btoa(`${key}:`)}`)],
  ['Authentication', 'Bearer with nothing behind it is no credential.', refusedKey('Bearer ')],
  ['Authentication', 'A key with something behind it is another key.', refusedKey((key) => `Bearer ${key}0`)],
  ['Authentication', 'A beginning of a key is no key.', refusedKey((key) => `Bearer ${key.slice(0, -1)}`)],
  ['Authentication', 'A key in the query is no credential.', asks(`${BALANCES}?apiKey=x`, { as: null }, 401, 'UNAUTHORIZED')],
  ['Authentication 2', 'A command without a credential is unauthorized too.', asks('POST /v1/invoices', { as: null, body: {} }, 401, 'UNAUTHORIZED')],
]);
