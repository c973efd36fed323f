// All sections, in the order in which they are played.
import { balances, limits, otherAccounts, profiles } from './facts/accounts.mjs';
import { atOnce, readiness } from './facts/at-once.mjs';
import { authentication, scopes } from './facts/authentication.mjs';
import { banks, originators } from './facts/banks.mjs';
import { deliveries, retries } from './facts/deliveries.mjs';
import { crowdedErrors, errors } from './facts/errors.mjs';
import { events, subscriptions } from './facts/events.mjs';
import { exchanges, rates } from './facts/exchanges.mjs';
import { invoiceQuotes } from './facts/invoice-quotes.mjs';
import { invoices, invoicesForOthers } from './facts/invoices.mjs';
import { lightningQuotes } from './facts/lightning-quotes.mjs';
import { moneyAtRisk } from './facts/money-at-risk.mjs';
import { oauth } from './facts/oauth.mjs';
import { lnurl, onchain } from './facts/other-quotes.mjs';
import { rateLimits, testRateLimits } from './facts/limits.mjs';
import { eventFilters, invoiceFilters, otherFilters, pages } from './facts/lists.mjs';
import { parties } from './facts/parties.mjs';
import { payments } from './facts/payments.mjs';
import { deposits, payouts } from './facts/payouts.mjs';
import { receiveRequests, receives } from './facts/receives.mjs';
import { addresses, deliveredTypes, queries } from './facts/texts.mjs';
import { openQuestions, wire } from './facts/wire.mjs';

export const sections = [
  wire,
  authentication,
  scopes,
  errors,
  crowdedErrors,
  invoices,
  invoicesForOthers,
  invoiceQuotes,
  lightningQuotes,
  lnurl,
  onchain,
  payments,
  exchanges,
  rates,
  banks,
  originators,
  payouts,
  deposits,
  balances,
  limits,
  profiles,
  otherAccounts,
  parties,
  atOnce,
  readiness,
  addresses,
  queries,
  deliveredTypes,
  moneyAtRisk,
  receiveRequests,
  receives,
  pages,
  invoiceFilters,
  eventFilters,
  otherFilters,
  events,
  subscriptions,
  deliveries,
  retries,
  oauth,
  rateLimits,
  testRateLimits,
  openQuestions,
];
