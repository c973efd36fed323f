import type { ReceivesTexts } from './texts.ts';

/** English texts of a list of receives. */
export const receivesEn: ReceivesTexts = {
  locale: 'en',
  receives: 'Received so far',
  none: 'Nothing has come in yet.',
  incoming: 'on its way',
  listLoading: 'Loading …',
  listStale: 'Connection problem. Retrying …',
  listOffline: 'You’re offline. The list continues when you’re back.',
  listBlocked: 'The payment service is busy. We’ll try again soon.',
  listFailed: 'The list cannot be shown.',
  again: 'Try again',
};
