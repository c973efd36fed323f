// A rate table that nobody reaches: the limits are another command's business.

const GROUPS = ['invoices', 'invoice-quotes', 'rates', 'payment-quotes', 'execute', 'others'];

export const NO_LIMITS = Object.fromEntries(
  GROUPS.map((group) => [group, { limit: 1e9, window: 60_000, block: 60_000 }]),
);
