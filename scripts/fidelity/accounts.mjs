// The accounts of each world.
const RICH = {
  BTC: '20.00000000',
  USD: '100000.00',
  EUR: '100000.00',
  USDT: '100000.00',
  GBP: '100000.00',
  AUD: '100000.00',
};

const richIn = (...currencies) => ({
  currencies,
  balances: Object.fromEntries(currencies.map((currency) => [currency, RICH[currency]])),
});

/** The first one is the examiner's; the others are what only an account of its own can show. */
export const ACCOUNTS = [
  { handle: 'shop', balances: RICH, defaultCurrency: 'USD', description: 'Tea and more' },
  { handle: 'friend', defaultCurrency: 'GBP', ...richIn('GBP', 'BTC') },
  { handle: 'hidden', isPrivate: true },
  { handle: 'mute', canReceive: false },
  { handle: 'poor' },
  { handle: 'traveller', balances: RICH, travelRule: true },
  { handle: 'rewarded', balances: RICH, reward: '0.01' },
  { handle: 'dollars', ...richIn('USD') },
  { handle: 'late', readyAfter: 31_536_000_000_000 },
];
