// The routes of each resource: made by `npm run doors` from the registry of resources.
export { routes as accounts } from './accounts.ts';
export { routes as balances } from './balances.ts';
export { routes as bankPaymentMethods } from './bank-payment-methods.ts';
export { routes as currencyExchangeQuotes } from './currency-exchange-quotes.ts';
export { routes as deposits } from './deposits.ts';
export { routes as events } from './events.ts';
export { routes as invoices } from './invoices.ts';
export { routes as paymentQuotes } from './payment-quotes.ts';
export { routes as payments } from './payments.ts';
export { routes as payoutOriginators } from './payout-originators.ts';
export { routes as payouts } from './payouts.ts';
export { routes as rates } from './rates.ts';
export { routes as receiveRequests } from './receive-requests.ts';
export { routes as subscriptions } from './subscriptions.ts';
