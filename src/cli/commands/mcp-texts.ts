import { printable } from '../../core/text.ts';

/** String formats that can't contain instructions for a language model. */
const PLAIN = [
  /^-?\d{1,30}(\.\d{1,30})?$/, // a decimal number
  /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i, // a UUID
  /^[\da-f]{64}$/i, // a hash
  /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(Z|[+-]\d\d:\d\d)$/, // a timestamp
  /^(ln|bc|tb|bcrt)[\da-z]{0,20}1[02-9ac-hj-np-z]{6,}$/, // bech32, whose alphabet excludes i and o
  /^[A-Z]\w{0,20}Error$/,
];

/** Fields that only the service or this package sets. */
const WORDS = new Set([
  ...['state', 'type', 'result', 'code', 'kind', 'outcome', 'next', 'phase'],
  ...['currency', 'sourceCurrency', 'targetCurrency', 'buy', 'sell', 'feePolicy', 'operation'],
  ...['eventType', 'eventTypes', 'changes', 'webhookVersion', 'accountType', 'transferType'],
  ...['destinationType', 'supportedActions', 'failureReason', 'neededScope'],
]);

/**
 * Tags every string that a payer or payee may have written, and replaces invisible characters in
 * it. Skips strings in a plain format and single words in fields that only the service sets.
 */
export function markForeign(value: unknown, mark: string, member: string = ''): unknown {
  if (typeof value === 'string') {
    const isWord = WORDS.has(member) && /^[\w.-]{1,40}$/.test(value);
    if (value === '' || isWord || PLAIN.some((form) => form.test(value))) return value;
    return `<${mark}>${printable(value)}</${mark}>`;
  }
  if (Array.isArray(value)) return value.map((item) => markForeign(item, mark, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [printable(name), markForeign(item, mark, name)]),
  );
}
