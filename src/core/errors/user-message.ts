import type { KnownCode } from './decision-table.ts';
import { isTaken } from './decisions.ts';
import { isPaystateError } from './errors.ts';

/**
 * Texts for people, one for each code. `{limit}` and `{currency}` become what the service said, in brackets, or nothing.
 * `OTHER` is for codes of tomorrow, `OUTCOME_UNKNOWN` for commands that may have been done.
 */
export type Catalogue = Readonly<Record<KnownCode | 'OTHER' | 'OUTCOME_UNKNOWN', string>>;

const AMOUNT = /^\d{1,20}(\.\d{1,18})?$/;
const CURRENCY = /^[A-Z]{3,5}$/;

/**
 * The text about an error for the person who waits, from a catalogue: the service's own words are for developers and
 * never show. Nothing is sent.
 *
 * @param thrown whatever was caught
 * @param catalogue `en`, `de` or `es` of `paystate/messages/…`, or your own
 * @example
 * import { en } from 'paystate/messages/en';
 * try {
 *   await client.invoices.get(invoiceId);
 * } catch (thrown) {
 *   console.log(userMessage(thrown, en));
 * }
 */
export function userMessage(thrown: unknown, catalogue: Catalogue): string {
  if (!isPaystateError(thrown)) return catalogue.OTHER;
  const { code, outcome, values = {} } = thrown;
  const isUnclear = outcome === 'unknown' && !isTaken(code); // what is there already has a text of its own
  const key = isUnclear
    ? 'OUTCOME_UNKNOWN'
    : Object.hasOwn(catalogue, code)
      ? (code as KnownCode)
      : 'OTHER';
  const { amount, currency } = (values['limit'] ?? {}) as {
    readonly amount?: unknown;
    readonly currency?: unknown;
  };
  const limit =
    matches(amount, AMOUNT) && matches(currency, CURRENCY) ? ` (${amount} ${currency})` : '';
  const said = values['currency'] ?? values['requestedCurrency'];
  return catalogue[key]
    .replace('{limit}', () => limit)
    .replace('{currency}', () => (matches(said, CURRENCY) ? ` (${said})` : ''));
}

/** What the service says is shown only where it is what it has to be. */
function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
