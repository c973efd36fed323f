// The table of error codes: what leads to each, its status, its extra members, its words.
import { provoke } from '../provoke.mjs';
import { checkRefusal } from '../checks.mjs';
import { section } from '../section.mjs';
import { moneyIn, text, uuid } from '../shapes.mjs';
import { check, Open } from '../verdict.mjs';

const NONE = undefined;
const limit = { limit: moneyIn('BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD') };

// Code, status, what leads to it, words of its message, members of `values`. Without words: the description fixes none.
// biome-ignore format: one line a code
const CODES = [
  ['NOT_FOUND', 404, 'nothing has the id', /not found/i],
  ['INTERNAL_SERVER_ERROR', 500, 'the service is broken', /unexpected/i],
  ['BAD_GATEWAY', 502, 'a server behind is broken', NONE],
  ['MAINTENANCE_MODE', 503, 'the service is being maintained', /maintenance/i],
  ['SERVICE_UNAVAILABLE', 503, 'the service is away', /unavailable/i],
  ['GATEWAY_TIMEOUT', 504, 'a server behind is too slow', NONE],
  ['TOO_MANY_ATTEMPTS', 429, 'a bank is linked wrongly again and again', /try again in a few minutes/i],
  ['PROCESSING_CONFLICT', 409, 'something else works on the quote', /try( again)? later/i],
  ['UNAUTHORIZED', 401, 'no credential is sent', /invalid or unspecified|identity/i],
  ['FORBIDDEN', 403, 'the credential has no scope', /permission/i],
  ['INVALID_DATA', 400, 'a draft breaks a rule', /validation error/i],
  ['INVALID_DATA_QUERY', 400, 'a filter cannot be read', /odata query/i],
  ['UNPROCESSABLE_ENTITY', 422, 'there are too many subscriptions', NONE],
  ['ACCOUNT_NOT_READY', 425, 'the account is not set up yet', /not (yet )?ready/i],
  ['INVALID_STATE_FOR_INVOICE_PAID', 422, 'a paid invoice is cancelled', /paid/i],
  ['INVALID_STATE_FOR_INVOICE_REVERSED', 422, 'a reversed invoice is cancelled', /reversed/i],
  ['INVALID_STATE_FOR_INVOICE_CANCELLED', 422, 'a cancelled invoice is cancelled', /cancell?ed/i],
  ['INVALID_STATE_FOR_INVOICE_EXPIRED', 422, 'a Lightning invoice is too old', /expired/i],
  ['INVALID_RECIPIENT', 422, 'an invoice is for an account that cannot be paid', /recipient/i],
  ['PROCESSING_PAYMENT', 422, 'an invoice is cancelled while it is paid', /being processed/i],
  ['DUPLICATE_INVOICE', 409, 'a correlation value was used before', /already exists/i, { correlationId: text }],
  ['SELF_PAYMENT_NOT_ALLOWED', 422, 'an account pays its own invoice', /self.?payment/i],
  ['USER_CURRENCY_UNAVAILABLE', 422, 'the account does not have the currency', /currency/i, { currency: 'EUR' }],
  ['LN_UNAVAILABLE', 503, 'the Lightning network is away', /lightning/i],
  ['EXCHANGE_RATE_NOT_AVAILABLE', 422, 'there is no rate', /rate/i],
  ['BALANCE_TOO_LOW', 422, 'more is spent than there is', /insufficient|funds/i],
  ['INVALID_AMOUNT', 422, 'an amount is zero', /greater than zero/i],
  ['AMOUNT_TOO_HIGH', 422, 'an amount is above the bound', /limit|above|high/i, limit],
  ['AMOUNT_TOO_LOW', 422, 'an amount is below the bound', /limit|below|low/i, limit],
  ['UNSUPPORTED_PAYMENT_METHOD', 422, 'a deposit comes by a method without deposits', /not supported/i],
  ['INVALID_PAYMENT_METHOD', 422, 'a deposit comes by a method that was removed', /invalid payment method/i],
  ['CURRENCY_UNSUPPORTED', 422, 'a currency is sold that is no currency', /not supported/i, { requestedCurrency: 'DOGE' }],
  ['PLAID_LINKING_FAILED', 422, 'a bank account cannot be verified', /verification/i],
  ['PAYMENT_METHOD_NOT_READY', 422, 'a bank method is not verified yet', /READY/],
  ['PAYOUT_ORIGINATOR_NOT_APPROVED', 422, 'an originator is not approved yet', /APPROVED/],
  ['PAYOUT_ALREADY_INITIATED', 422, 'a payout is initiated twice', /already initiated|already been initiated/i],
  ['PAYMENT_PROCESSED', 422, 'a quote is executed twice', /already (been )?processed/i, { paymentId: uuid }],
  ['INVALID_LN_INVOICE', 422, 'a text is no Lightning invoice', /invalid lightning invoice/i, { activeNetwork: text }],
  ['LN_INVOICE_PROCESSED', 422, 'a Lightning invoice was paid before', /already (been )?processed/i],
  ['INVALID_BITCOIN_ADDRESS', 422, 'a text is no address', /invalid.*address/i],
  ['LN_ROUTE_NOT_FOUND', 422, 'nothing leads to the receiver', /route/i],
  ['PAYMENT_QUOTE_EXPIRED', 422, 'a quote is executed too late', /expired/i],
  ['DUPLICATE_PAYMENT_QUOTE', 422, 'an idempotency key made a payment quote before', /idempotency.*exist/i, { paymentQuoteId: uuid }],
  ['TOO_MANY_TRANSACTIONS', 422, 'a hundred payments are under way', /limit/i],
  ['DUPLICATE_CURRENCY_EXCHANGE_QUOTE', 422, 'an idempotency key made an exchange quote before', /idempotency.*exist/i, { currencyExchangeQuoteId: uuid }],
  ['CURRENCY_EXCHANGE_QUOTE_PROCESSED', 422, 'an exchange is executed twice', /already (been )?processed/i],
  ['CURRENCY_EXCHANGE_QUOTE_EXPIRED', 422, 'an exchange is executed too late', /expired/i],
  ['CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED', 422, 'a currency is exchanged for itself', /pair/i],
  ['CURRENCY_EXCHANGE_AMOUNT_TOO_LOW', 422, 'too little is exchanged', /too low/i],
  ['DEPOSIT_LIMIT_EXCEEDED', 422, 'there are too many deposits', /exceeded/i],
  ['DUPLICATE_DEPOSIT', 422, 'an idempotency key made a deposit before', /idempotency.*exist/i, { depositId: uuid }],
];

const provoked = async (stage, code) => {
  if (!provoke[code]) throw new Open(`no request and no state of the world leads to ${code}`);
  return provoke[code](stage);
};

const comes = ([code, status, when, , values]) => [
  'Errors',
  `${code} comes with ${status} where ${when}.`,
  async (stage) => checkRefusal(await provoked(stage, code), status, code, values),
];

const speaks = ([code, , , words]) => [
  'Errors',
  `${code} explains itself in words.`,
  async (stage) => {
    const { error, text: body } = await provoked(stage, code);
    check(error?.code === code, code, body);
    const { message } = error;
    const isText = typeof message === 'string' && message !== code && / /.test(message);
    check(isText && words.test(message), `a message like ${words}`, message);
  },
];

// What leads to these would be in the way of other facts.
const CROWDED = /TOO_MANY|UNPROCESSABLE|DEPOSIT_LIMIT|^(PLAID|MAINTENANCE|SERVICE)/;

const factsOf = (rows) =>
  rows.flatMap((row) => [comes(row), ...(provoke[row[0]] && row[3] !== NONE ? [speaks(row)] : [])]);

export const errors = section('errors', factsOf(CODES.filter(([code]) => !CROWDED.test(code))), {
  pause: 8 * 86_400_000,
});

export const crowdedErrors = section(
  'crowded errors',
  factsOf(CODES.filter(([code]) => CROWDED.test(code))),
  { alone: true },
);
