// An account that has at least one of everything that can be read.
import { type Bank, openBank } from '../bank/bank.ts';
import { OPERATIONS } from '../contract/operations.ts';
import type { SandboxOptions } from 'paystate/sandbox';

const MADE = [
  'invoices.get',
  'receiveRequests.listReceives',
  'payments.get',
  'deposits.get',
  'payouts.get',
  'payoutOriginators.get',
  'subscriptions.get',
];

/** Makes one of each resource. */
export const openFullAccount = async (options: SandboxOptions = {}): Promise<Bank> => {
  const bank = openBank(options);
  for (const operation of MADE) await OPERATIONS[operation]!(bank);
  const [quoteId] = (await OPERATIONS['currencyExchangeQuotes.execute']!(bank)) as [string];
  await bank.run(bank.client.currencyExchangeQuotes.execute(quoteId));
  await bank.sandbox.advance(60_000);
  return bank;
};
