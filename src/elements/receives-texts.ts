import type { ReceivesTexts } from './texts.ts';

/** English texts of a list of receives. */
export const receivesEn: ReceivesTexts = {
  locale: 'en',
  loading: 'One moment …',
  receives: 'Received so far',
  none: 'Nothing has come in yet.',
  incoming: 'on its way',
  stale: 'No answer. We ask again.',
  offline: 'You are offline.',
  blocked: 'Too many requests. We ask again.',
  listFailed: 'The list cannot be shown.',
  again: 'Try again',
};
