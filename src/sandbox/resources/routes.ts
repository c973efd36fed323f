import { routes as accounts } from './accounts.ts';
import { routes as balances } from './balances.ts';
import { routes as bankPaymentMethods } from './bank-payment-methods.ts';
import { routes as currencyExchangeQuotes } from './currency-exchange-quotes.ts';
import { routes as deposits } from './deposits.ts';
import { routes as events } from './events.ts';
import { routes as invoices } from './invoices.ts';
import { routes as paymentQuotes } from './payment-quotes.ts';
import { routes as payments } from './payments.ts';
import { routes as payoutOriginators } from './payout-originators.ts';
import { routes as payouts } from './payouts.ts';
import { routes as rates } from './rates.ts';
import { routes as receiveRequests } from './receive-requests.ts';
import { routes as subscriptions } from './subscriptions.ts';
import type { ResourceRoute } from './repository.ts';

/** Routes of all resources. Generated from the registry by `npm run generate -- doors`. */
export const routes: readonly ResourceRoute[] = [
  accounts,
  balances,
  bankPaymentMethods,
  currencyExchangeQuotes,
  deposits,
  events,
  invoices,
  paymentQuotes,
  payments,
  payoutOriginators,
  payouts,
  rates,
  receiveRequests,
  subscriptions,
].flat();
