// Show a price in sats next to the price in euros, with the time of the rate if that is old.
// It's for display only. Your customer pays the quote's amount.
import { createClient, type Money, type QuotedRate, type Snapshot, watchRates } from 'paystate';
import { convertMoney, formatMoney } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';

export function inSats(price: Money, rates: Snapshot<readonly QuotedRate[]>, now: number): string {
  const shown = formatMoney(price, { locale: 'en' });
  const rate = rates.value?.find(
    (one) => one.sourceCurrency === 'BTC' && one.targetCurrency === price.currency,
  );
  if (!rate || rates.checkedAt === undefined) return shown;
  const age = { asOf: rates.checkedAt, now, maxAge: 60_000 };
  const { value, asOf, stale } = convertMoney(price, rate, { ...age, rounding: 'up' });
  const sats = formatMoney(value, { locale: 'en', bitcoinUnit: 'sat' });
  const since = stale ? `, rate of ${new Date(asOf).toISOString()}` : '';
  return `${shown} (about ${sats}${since})`;
}

export async function example() {
  const sandbox = createSandbox();
  const rates = watchRates(createClient(sandbox.clientOptions));
  const show = () => {
    const price = { amount: '4.20', currency: 'EUR' };
    return inSats(price, rates.current(), sandbox.clock.now());
  };
  const stop = rates.subscribe(() => {}); // a page draws here
  await sandbox.advance(1_000);
  const fresh = show();
  stop(); // after this there are no more reads
  await sandbox.advance(120_000);
  return `${fresh}\n${show()}`;
}

if (import.meta.main) console.log(await example());
