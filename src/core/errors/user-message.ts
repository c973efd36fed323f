import { CODE_ROWS, type KnownCode } from './codes.ts';
import { type ErrorFacts, isPaystateError } from './errors.ts';

/**
 * Texts for users, one for each code. `{limit}` and `{currency}` become what the service said, in
 * brackets, or nothing. `OTHER` is for unknown codes, `OUTCOME_UNKNOWN` for commands that may have
 * been done.
 */
export type Catalogue = Readonly<Record<KnownCode | 'OTHER' | 'OUTCOME_UNKNOWN', string>>;

const AMOUNT = /^\d{1,20}(\.\d{1,18})?$/;
const CURRENCY = /^[A-Z]{3,5}$/;

/**
 * Returns the text about an error for the user, from a catalogue. The service's own texts are for
 * developers and are never shown. Nothing is sent.
 *
 * @param thrown what was caught
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
  return messageFor(thrown, catalogue);
}

/**
 * Returns the text about the facts of an error: those of an error that was thrown, or those of a
 * cell of the decision table, which has no values.
 */
export function messageFor(
  facts: Pick<ErrorFacts, 'code' | 'outcome' | 'next' | 'values'>,
  catalogue: Catalogue,
): string {
  const { values = {} } = facts;
  const { amount, currency } = (values['limit'] ?? {}) as {
    readonly amount?: unknown;
    readonly currency?: unknown;
  };
  const limit =
    matches(amount, AMOUNT) && matches(currency, CURRENCY) ? ` (${amount} ${currency})` : '';
  const said = values['currency'] ?? values['requestedCurrency'];
  return catalogue[keyOf(facts, catalogue)]
    .replace('{limit}', () => limit)
    .replace('{currency}', () => (matches(said, CURRENCY) ? ` (${said})` : ''));
}

/**
 * Chooses the text. Where the outcome is unknown, only codes that say what exists have a right one:
 * all other texts say that something did not happen.
 */
function keyOf(
  { code, outcome, next }: Pick<ErrorFacts, 'code' | 'outcome' | 'next'>,
  catalogue: Catalogue,
): keyof Catalogue {
  if (next === 'fix-credential') return 'SECRET_INVALID'; // the visitor who reads it cannot log in
  const isKnown = Object.hasOwn(CODE_ROWS, code) && Object.hasOwn(catalogue, code);
  if (outcome === 'unknown' && !(isKnown && CODE_ROWS[code]!.exists)) return 'OUTCOME_UNKNOWN';
  return isKnown ? (code as KnownCode) : 'OTHER';
}

/** Values of the service are shown only where they have the expected form. */
function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
