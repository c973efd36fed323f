import { assumedOfBanks } from './assumed-banks.ts';
import { assumedOfPayments } from './assumed-payments.ts';
import { assumedOfRequests } from './assumed-requests.ts';

/** Our best guess; each may be wrong. */
export const assumed: typeof assumedOfRequests & typeof assumedOfBanks & typeof assumedOfPayments =
  Object.assign({}, assumedOfRequests, assumedOfBanks, assumedOfPayments);
