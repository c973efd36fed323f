// All resources, one line each, under the names of the client's members. For those who need all of them: whoever needs one
// imports its file.
export { account as accounts } from './accounts/resource.ts';
export { balances } from './balances/resource.ts';
export { bankPaymentMethod as bankPaymentMethods } from './bank-payment-methods/resource.ts';
export { currencyExchangeQuote as currencyExchangeQuotes } from './currency-exchange-quotes/resource.ts';
export { deposit as deposits } from './deposits/resource.ts';
export { event as events } from './events/resource.ts';
export { invoice as invoices } from './invoices/resource.ts';
export { paymentQuote as paymentQuotes } from './payment-quotes/resource.ts';
export { payment as payments } from './payments/resource.ts';
export { payoutOriginator as payoutOriginators } from './payout-originators/resource.ts';
export { payout as payouts } from './payouts/resource.ts';
export { rates } from './rates/resource.ts';
export { receiveRequest as receiveRequests } from './receive-requests/resource.ts';
export { subscription as subscriptions } from './subscriptions/resource.ts';
