/** Where a behaviour of the sandbox comes from: the service's own description, public material, reasoning, or our best guess. */
export type Source = 'seed' | 'public' | 'inferred' | 'assumed';

/**
 * Behaviours of the sandbox by what they rest on, so that a test can tell a fact from a guess.
 *
 * @example
 * console.log(behaviours.assumed.join('\n'));
 */
export const behaviours: Readonly<Record<Source, readonly string[]>> = {
  seed: [
    'invoices: created UNPAID with invoice.created; every change of state gives invoice.updated',
    'invoices: cancelled by issuer or receiver while unpaid',
    'a second invoice with the same correlationId: 409 DUPLICATE_INVOICE with values.correlationId',
    'errors: envelope with traceId, data.code, message, status, values, validationErrors',
    '401 UNAUTHORIZED for a missing or unknown key; 403 FORBIDDEN for a key without the scope',
    'a bad $filter, $orderby, $top or $skip: 400 INVALID_DATA_QUERY',
    'events: kept for 30 days, whether or not a webhook is subscribed; count is that of the filter',
    'events: deliverySuccess is a boolean in lists',
    'deliveries: five seconds to answer; a status that is not 2xx fails; retries 3, 9, 27 … s after the failure before; 410 and 501 end them',
  ],
  public: [
    'invoices: states UNPAID, PENDING, PAID, CANCELLED; create and quote answer 201, all else 200',
    'quotes: 30 s where the amount is converted; BOLT11 on the test network; bitcoin as source',
    'descriptionHash replaces the description',
    'rate table: 250 a minute for five groups, 1,000 in 10 minutes for the rest; blocks of a minute and an hour; by address',
    '429 carries retry-after',
    'invoices can be filtered by invoiceId, created, currency, state, issuerId, receiverId, payerId, correlationId',
    'events can be filtered by deliverySuccess and with ge and le; GET /v1/events/{id}',
    '$top is at most 100; $orderby takes created only',
    'subscriptions: five operations under partner.webhooks.manage; at most 50; a secret of 10 to 50 characters that is never given back; a list without pages',
    'deliveries: go to every subscription of the account that names the type; HMAC-SHA-256 in X-Webhook-Signature, hex in upper case',
    'deliveries: the body is the event without deliverySuccess, its time with seven digits',
    'logins: code flow with PKCE S256 below /connect/, told under /.well-known/openid-configuration; client secret in the body or as Basic; a refresh token with offline_access only',
    'logins: access tokens are JWTs with sub and name, and end; revocation; userinfo',
  ],
  inferred: [
    'quotes: the BOLT11 text and the quote end together, to the second',
    'invoices: UNPAID, PENDING, PAID in this order; UNPAID again when a payment comes back',
    'cancelling or quoting in another state: INVALID_STATE_FOR_INVOICE_* or PROCESSING_PAYMENT',
    'times: seven fraction digits stored, six printed, zeros at the end cut',
    'filters: `in` on ids and texts',
    'deliveries: 13 requests in all; deliverySuccess is null while undecided',
    'an invoice quote and a subscription make no event',
  ],
  assumed: [
    'filters: at most 16 comparisons, each member of an `in` counts; more is INVALID_DATA_QUERY',
    'a request line over 8,192 bytes: 414 without the envelope',
    '$top above 100 or below 1: INVALID_DATA_QUERY; without $top 50 items',
    'lists: newest first where no order is asked',
    'filters: texts in single quotes and compared exactly with eq and in; times bare; ids either way; 32 levels of parentheses',
    'unknown route or method: 404 without the envelope, before the credential is looked at; counts as others',
    'a resource of another account: 404 NOT_FOUND with values.id',
    'requests that are refused count towards the limits; those during a block do not lengthen it; retry-after in seconds',
    'a body that is not JSON: INVALID_DATA; a body of another content type: 415 without the envelope',
    'amounts: printed with the digits of their currency; more digits are INVALID_DATA, zero is INVALID_AMOUNT',
    'amounts: at most 1,000,000 or 20 BTC, else AMOUNT_TOO_HIGH',
    'a currency that the account does not take: USER_CURRENCY_UNAVAILABLE; one that the service does not name: INVALID_DATA_CURRENCY',
    'quotes: an hour where the invoice is in BTC; whole satoshi, rounded up; rates hold for ten seconds',
    'one invoice is settled by one payer; an older quote can be paid until its own end',
    'events: without a subscription deliverySuccess is false; default order newest first',
    'events: deliverySuccess is true where every subscriber has it, false where one never will',
    'subscriptions: a 51st is UNPROCESSABLE_ENTITY; unknown event types and versions are INVALID_DATA; addresses may repeat; http for this machine',
    'deliveries: each attempt uses address, version and secret as they are then; a deleted or disabled subscription ends its retries',
    'deliveries: redirects are not followed and count as failures; several go on at once, over the real network one after the other',
    'deliveries: the first attempt follows the event without a pause; what is due together goes by event id and subscription id',
    'invoices: PAID can become REVERSED',
    'logins: codes live 60 s and work once, refresh tokens rotate and live 30 days, access tokens an hour; what comes twice ends all that came of one login',
    'logins: PKCE is demanded; id tokens and access tokens are signed with a secret of the sandbox; users say yes at once; requests count towards no limit',
  ],
};
