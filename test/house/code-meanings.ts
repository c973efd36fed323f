// Each error code in plain words: what happened, what that means for the money, and what to do now.
import type { KnownCode } from '../../src/core/errors/codes.ts';

export interface Meaning {
  readonly happened: string;
  readonly money: string;
  readonly now: string;
}

const NONE = 'None moved.';
const UNSURE = 'It may have moved: nothing proves that the service did not carry out the command.';
const FOLLOW =
  'Follow `next`: repeat the call later, or read what exists first, or make a new quote.';
const NOT_TRUSTED = 'None moved. A message only says that something may have changed.';

const refused = (happened: string, now: string): Meaning => ({ happened, money: NONE, now });
const unsure = (happened: string, now: string = FOLLOW): Meaning => ({
  happened,
  money: UNSURE,
  now,
});
const untrusted = (happened: string, now: string): Meaning => ({
  happened,
  money: NOT_TRUSTED,
  now,
});

/** Codes of commands that move no money by themselves, although what they made may exist. */
export const MOVE_NONE: readonly KnownCode[] = [
  'DUPLICATE_INVOICE',
  'DUPLICATE_PAYMENT_QUOTE',
  'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
  'INVALID_STATE_FOR_INVOICE_CANCELLED',
  'LIST_UNSTABLE',
];

export const MEANINGS: Readonly<Record<KnownCode, Meaning>> = {
  NOT_FOUND: refused(
    'Nothing has this id, or it belongs to another account.',
    'Check the id and the environment. What was made a moment ago may be readable only later.',
  ),
  INTERNAL_SERVER_ERROR: unsure('The service failed while it handled the request.'),
  BAD_GATEWAY: unsure('A gateway of the service got no usable response from behind it.'),
  MAINTENANCE_MODE: unsure('The service is under maintenance.'),
  SERVICE_UNAVAILABLE: unsure('The service is not available right now.'),
  GATEWAY_TIMEOUT: unsure('A gateway of the service waited too long for a response.'),
  TOO_MANY_ATTEMPTS: refused(
    'There were too many attempts within a few minutes.',
    'Wait until `retryAt`, then make the call again.',
  ),
  UNAUTHORIZED: refused(
    'The credential is missing, wrong or no longer valid.',
    'Log in again. Where `next` is `fix-credential`, give the right API key.',
  ),
  FORBIDDEN: refused(
    'The credential lacks the scope of this operation.',
    'Use a credential with the scope that `neededScope` names.',
  ),
  INVALID_DATA_QUERY: refused(
    'The filter or the paging of a list could not be understood.',
    'Correct the query. Sent as it is, it fails again.',
  ),
  UNPROCESSABLE_ENTITY: refused(
    'The service understood the request and cannot carry it out; it gives no closer reason.',
    'Tell the user that this is not possible as it is, and check what the request names.',
  ),
  INVALID_RECIPIENT: refused(
    'The receiver cannot receive.',
    'Ask the user for another receiver, or to contact this one.',
  ),
  SELF_PAYMENT_NOT_ALLOWED: refused(
    'The payment would lead back to the account that pays.',
    'Ask the user for another receiver.',
  ),
  USER_CURRENCY_UNAVAILABLE: refused(
    'The account does not have the currency that `values.currency` names.',
    'Use a currency of the account; `client.balances.list()` shows them.',
  ),
  LN_UNAVAILABLE: unsure('The service cannot use Lightning right now.'),
  EXCHANGE_RATE_NOT_AVAILABLE: refused(
    'The service has no exchange rate for this right now.',
    'Try later, or use a currency that needs no exchange.',
  ),
  BALANCE_TOO_LOW: refused(
    'The account has less than the amount and its fees.',
    'Add money to the account, or send less; then `retry()` a payment or a payout of that intent.',
  ),
  INVALID_AMOUNT: refused(
    'The amount is not above zero, or not possible here.',
    'Ask the user for another amount.',
  ),
  AMOUNT_TOO_HIGH: refused(
    'The amount is above the limit; `values.limit` has it.',
    'Ask the user for a smaller amount.',
  ),
  AMOUNT_TOO_LOW: refused(
    'The amount is below the limit; `values.limit` has it.',
    'Ask the user for a larger amount.',
  ),
  UNSUPPORTED_PAYMENT_METHOD: refused(
    'This kind of payment method cannot be used for this operation.',
    'Choose a method of another kind.',
  ),
  INVALID_PAYMENT_METHOD: refused(
    'This payment method cannot be used, for example because it was removed.',
    'Choose another one, or add the bank account again.',
  ),
  CURRENCY_UNSUPPORTED: refused(
    'The service does not offer the currency that `values.requestedCurrency` names.',
    'Choose another currency.',
  ),
  PLAID_LINKING_FAILED: refused(
    'The bank account could not be verified.',
    'Ask the user to check its data and to add it again.',
  ),
  PAYMENT_METHOD_NOT_READY: refused(
    'The bank account is not verified yet.',
    'Make the call again when its state is `READY`; `client.bankPaymentMethods.watch(id)` tells.',
  ),
  PAYOUT_ORIGINATOR_NOT_APPROVED: refused(
    'The originator of the payout is not approved yet.',
    'Make the call again when its state is `APPROVED`; `client.payoutOriginators.watch(id)` tells.',
  ),
  INVALID_LN_INVOICE: refused(
    'The text is no Lightning invoice, or one of another network than `values.activeNetwork`.',
    'Ask the receiver for another one.',
  ),
  INVALID_BITCOIN_ADDRESS: refused(
    'The text is no bitcoin address of this network.',
    'Ask the receiver for another one.',
  ),
  LN_ROUTE_NOT_FOUND: refused(
    'Lightning found no way to the receiver for this amount.',
    'Try later, send less, or pay on-chain.',
  ),
  TOO_MANY_TRANSACTIONS: refused(
    'The account has reached its number of payments.',
    'Try later, when payments under way have ended.',
  ),
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: refused(
    'The service does not exchange these two currencies.',
    'Choose another pair, or exchange by way of a third currency.',
  ),
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: refused(
    'The amount is too low for an exchange.',
    'Exchange more at once.',
  ),
  DEPOSIT_LIMIT_EXCEEDED: refused('The account has reached its number of deposits.', 'Try later.'),
  INVALID_DATA: refused(
    'A field or the body breaks a rule of the service.',
    'Correct what `validationErrors` names. Sent as it is, it fails again.',
  ),
  INVALID_DATA_REQUIRED: refused('A required field is missing.', 'Give the field.'),
  INVALID_DATA_LENGTH: refused(
    'A field does not have the length that `values.length` names.',
    'Correct the field.',
  ),
  INVALID_DATA_MINLENGTH: refused(
    'A field is shorter than `values.minLength`.',
    'Correct the field.',
  ),
  INVALID_DATA_MAXLENGTH: refused(
    'A field is longer than `values.maxLength`.',
    'Shorten the field.',
  ),
  INVALID_DATA_VALUE: refused('A field has a value that it cannot have.', 'Correct the field.'),
  INVALID_DATA_CURRENCY: refused(
    'A field names a currency that is not possible there.',
    'Use another currency.',
  ),
  PROCESSING_PAYMENT: {
    happened: 'A payment of this invoice or quote is under way.',
    money: 'It is moving, and may still come back.',
    now: 'Read or watch the invoice or payment until it is settled. Pay by no other quote meanwhile.',
  },
  PAYMENT_PROCESSED: {
    happened: 'This quote was executed before.',
    money: 'It moves once, by the earlier call.',
    now: 'Read the payment that `values.paymentId` names. Make no new quote.',
  },
  LN_INVOICE_PROCESSED: {
    happened: 'This Lightning invoice was paid before, by you or by somebody else.',
    money: 'It moved once. Whether it was yours, your own records say.',
    now: 'Read your payments before anything else. If none was yours, ask the receiver for a new invoice.',
  },
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: {
    happened: 'This exchange was executed before.',
    money: 'It is exchanged once, by the earlier call.',
    now: 'Read the exchange quote. Make no new one.',
  },
  PAYOUT_ALREADY_INITIATED: {
    happened: 'This payout was initiated before.',
    money: 'It leaves once, by the earlier call.',
    now: 'Read the payout. Create no other one.',
  },
  DUPLICATE_INVOICE: refused(
    'There is an invoice with this `correlationId`.',
    'Read it: `client.invoices.ensure` returns it. Another order needs another `correlationId`.',
  ),
  DUPLICATE_DEPOSIT: {
    happened: 'A deposit was made under this idempotency key before.',
    money: 'It is debited once, by the earlier call.',
    now: 'Read the deposit that `values.depositId` names. Make no new one.',
  },
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: refused(
    'An exchange quote was made under this idempotency key before.',
    'Read the quote that `values.currencyExchangeQuoteId` names; it may have been executed since.',
  ),
  PROCESSING_CONFLICT: {
    happened: 'Another request about the same thing is being handled.',
    money: 'It may be moving, by the other request.',
    now: 'Follow `next`: make the same request again in a moment, or read what exists first. Pay by no other quote.',
  },
  INVALID_STATE_FOR_INVOICE_CANCELLED: {
    happened: 'The invoice was cancelled before.',
    money: 'None moved by this call. A payment that was under way may still come in.',
    now: 'Read the invoice. A new attempt to pay needs a new invoice.',
  },
  INVALID_STATE_FOR_INVOICE_PAID: {
    happened: 'The invoice is paid.',
    money: 'None moved by this call. The money of the payer has come in.',
    now: 'Treat the order as paid: deliver, or refund.',
  },
  INVALID_STATE_FOR_INVOICE_REVERSED: {
    happened: 'The payment of the invoice was reversed.',
    money: 'None moved by this call. The money of the payer has gone back.',
    now: 'Do not deliver. If the customer still wants to pay, make a new invoice.',
  },
  DUPLICATE_PAYMENT_QUOTE: {
    happened: 'A quote was made under this idempotency key before, and quotes cannot be read.',
    money: 'None moved by this call: a quote moves money only when it is executed.',
    now: 'Make a new quote under a new key, unless an earlier quote may have been executed: then read first.',
  },
  PAYMENT_QUOTE_EXPIRED: refused(
    'The quote had expired before it was executed.',
    'Make a new quote, compare it with your limits again, and execute that one.',
  ),
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: refused(
    'The exchange quote had expired before it was executed.',
    'Make a new quote, compare it with your limits again, and execute that one.',
  ),
  INVALID_STATE_FOR_INVOICE_EXPIRED: refused(
    'The Lightning invoice has expired.',
    'Of an invoice of yours, make a new quote. Of another, ask the receiver for a new invoice.',
  ),
  ACCOUNT_NOT_READY: refused(
    'The account is not ready yet.',
    'Wait until `retryAt`, then make the call again.',
  ),
  RATE_LIMIT_EXCEEDED: refused(
    'There were more requests than the rate limit allows, and the service blocks more for a while.',
    'Wait until `retryAt`, then make the call again. Processes share the limit by a `rateLimitStore`.',
  ),
  ABORTED: unsure(
    'You ended the call after something may have been sent.',
    'Follow `next`: repeat the call, or read what exists first, or make a new quote.',
  ),
  NOT_FROM_SERVICE: unsure(
    'Something else than the service responded, such as a proxy; `excerpt` says how it begins.',
    'Check `baseUrl` and what is between. Follow `next`: repeat the call, or read what exists first, or make a new quote.',
  ),
  REDIRECT: unsure(
    'The response was a redirect, which is never followed with a credential.',
    'Correct `baseUrl`. Before you repeat a command, read what exists.',
  ),
  RESPONSE_TOO_LARGE: unsure(
    'The response was longer than `maxResponseBytes`.',
    'Follow `next`: read fewer rows at once, or read what the command made.',
  ),
  INPUT_INVALID: refused(
    'An argument or an option breaks a rule; nothing was sent.',
    'Correct what `validationErrors` names. It is a mistake of the program, or of what the user typed.',
  ),
  SECRET_IN_BROWSER: refused(
    'An API key or a client secret is in a page; nothing was sent.',
    'Take it out of the page, which gets a token of a relay or a login. Revoke a key that was published.',
  ),
  IDEMPOTENCY_KEY_EXPIRED: {
    happened:
      'The idempotency key was first sent so long ago that the service may have forgotten it.',
    money: 'It may have moved by the first call.',
    now: 'Read the deposits, and make a new one only if there is none.',
  },
  EXISTS_UNREAD: {
    happened: 'It exists already, and reading it failed.',
    money: 'It may have moved by an earlier call.',
    now: 'Read it before anything else.',
  },
  TOO_MANY_UNKNOWN: {
    happened: 'The outcomes of 10,000 commands are unknown to this client; nothing more was sent.',
    money: 'None moved by this call. The earlier commands may have moved some.',
    now: 'Read what they did, then use a new client.',
  },
  LIST_UNSTABLE: refused(
    'The list kept changing while its pages were read.',
    'Read the list again, or a smaller part of it.',
  ),
  WATCH_ENDED: refused(
    'The watch completed before there was such a value.',
    'Stop waiting: that value does not come any more. Read the current one.',
  ),
  LOGIN_REQUIRED: refused(
    'There is no login, or it has ended.',
    'Let the user log in again, then repeat the call.',
  ),
  LOGIN_REFUSED: refused(
    'The user or the login server refused the login; `values.error` says why.',
    'Stop: the same login is refused again. Check the client id and the scopes.',
  ),
  LOGIN_STATE_MISMATCH: refused(
    'This callback belongs to no login that this session began.',
    'Let the user log in again from the start.',
  ),
  REFRESH_UNKNOWN: refused(
    'The login could not be renewed: its server did not respond.',
    'Make the call again. If the token was used up, the user has to log in again.',
  ),
  SECRET_INVALID: untrusted(
    'The secret for webhooks cannot be right, such as one with a line break.',
    'Correct the secret. The service delivers the message again.',
  ),
  SIGNATURE_MISSING: untrusted(
    'The message has no signature.',
    'Refuse it with 401. If all messages lack it, check what a proxy does with headers.',
  ),
  SIGNATURE_MALFORMED: untrusted(
    'The signature of the message has another form than the service writes.',
    'Refuse it with 401.',
  ),
  SIGNATURE_MISMATCH: untrusted(
    'The signature fits neither these bytes nor these secrets.',
    'Refuse it with 401. If all fail, the secret is another one, or a parser has changed the bytes.',
  ),
  BODY_ALREADY_READ: untrusted(
    'The body was read or parsed before its signature was checked.',
    'Give the unread request, or its raw bytes with its headers.',
  ),
  BODY_TOO_LARGE: untrusted(
    'The message is longer than `maxBodyBytes`.',
    'Refuse it with 413: the service sends none of this size.',
  ),
  TOKEN_UNAVAILABLE: refused(
    'The `token` function gave no token; nothing was sent.',
    'Make the call again, and see why the function failed.',
  ),
  QUEUE_TIMEOUT: refused(
    'The rate limit had no place within `queueTimeout`; nothing was sent.',
    'Wait until `retryAt`, then make the call again.',
  ),
  TIMEOUT: unsure('No response came in time.'),
  OFFLINE: unsure('The device has no network.'),
  UNREACHABLE: unsure('There was no connection, or it broke before the response.'),
  RESPONSE_NOT_JSON: unsure('The response is not JSON.'),
  RESPONSE_MISMATCH: unsure('The response is about something else than the request.'),
  RESPONSE_INVALID: unsure(
    'The response lacks what its schema requires.',
    'Follow `next`, and tell whoever runs the service: a read gives the same again.',
  ),
};
