/** What follows by reasoning. */
export const inferred = {
  'responses.location': {
    says: ['A 201 has Location: the address of the new resource.'],
    on: [
      'POST /v1/invoices ok',
      'POST /v1/invoices/handle/* ok',
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout* ok',
      'POST /v1/subscriptions ok',
      'POST /v1/receive-request ok',
    ],
  },
  'invoice-quotes.end': {
    says: ['A quote and its BOLT11 text expire at the same second.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoices.order': { says: ['An invoice that is paid is UNPAID, PENDING, PAID in this order.'] },
  'invoices.back': { says: ['An invoice is UNPAID again when its payment fails.'] },
  'invoices.reversed': { says: ['PAID can become REVERSED.'] },
  'invoices.refusals': {
    says: ['Cancelling or quoting in another state: INVALID_STATE_FOR_INVOICE_….'],
    on: ['* /v1/invoices/{invoiceId}/* INVALID_STATE_FOR_INVOICE_*'],
  },
  'invoices.paying': {
    says: ['Cancelling or quoting while it is being paid: PROCESSING_PAYMENT.'],
    on: ['* /v1/invoices/{invoiceId}/* PROCESSING_PAYMENT'],
  },
  'times.digits': {
    says: ['Times are stored, listed and compared with six digits, without zeros at the end.'],
    on: ['GET /v1/events* ok'],
  },
  'times.seventh': {
    says: ['The response to a creation and webhooks have a seventh digit.'],
    on: ['POST /v1/invoices ok'],
  },
  'filters.in': { says: ['Filters take `in` for ids and texts.'] },
  'deliveries.count': { says: ['A delivery has at most 13 attempts.'] },
  'events.none': {
    says: ['A creation that no event type names makes no event.'],
    on: [
      'POST /v1/*quote* ok',
      'POST /v1/deposits ok',
      'POST /v1/receive-request ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'payments.statuses': {
    says: ['Executing: 200 where it is settled at once, 202 where it is PENDING.'],
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.lacking': {
    says: ['A payment that failed has neither completed nor delivered.'],
    on: ['GET /v1/payments/* ok'],
  },
  'ledger.invoices': {
    says: ['A paid invoice is credited to its receiver.'],
    money: true,
  },
  'ledger.payments': {
    says: ['A payment is held when it begins, and sent or given back when it ends.'],
    money: true,
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'ledger.exchanges': {
    says: ['What is sold is held, and what is bought credited at the end.'],
    money: true,
    on: ['PATCH /v1/currency-exchange-quotes/* ok'],
  },
  'ledger.payouts': {
    says: ['A payout and its fee are held when it is initiated.'],
    money: true,
    on: ['PATCH /v1/payouts/* ok'],
  },
  'ledger.deposits': {
    says: ['A deposit is pending until it is COMPLETED, and free then.'],
    money: true,
    on: ['POST /v1/deposits ok'],
  },
  'ledger.lacking': {
    says: ['What the account does not have: BALANCE_TOO_LOW.'],
    money: true,
    on: ['* /v1/currency-exchange-quotes* BALANCE_TOO_LOW', 'PATCH /v1/payouts/* BALANCE_TOO_LOW'],
  },
  'balances.free': {
    says: ['available is what is free, total what is free or held.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'balances.held': {
    says: ['reserved and outgoing are what is held, pending what is not settled yet.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'balances.current': {
    says: ['current is what is free, held or not settled yet.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'banks.removed': {
    says: ['Removed bank methods and originators are INACTIVE and still found.'],
    on: ['DELETE /v1/payment-methods/* ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'deposits.reversed': { says: ['A COMPLETED deposit can be REVERSED.'], money: true },
  'receive-requests.status': {
    says: ['A new receive request: 201.'],
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.target': {
    says: ["targetCurrency is the account's default where none is given."],
    money: true,
    on: ['POST /v1/receive-request ok'],
  },
  'receives.lightning': { says: ['A Lightning receive is COMPLETED at once.'] },
  'receives.onchain': { says: ['An on-chain receive is PENDING until it is confirmed.'] },
} as const;
