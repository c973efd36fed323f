import { type Bolt11, decodeBolt11, fallbackAddress } from 'paystate/lightning';
import {
  encodeBolt11,
  encodeUnsignedBolt11,
  recoverPayee,
  verifyBolt11,
} from 'paystate/lightning/signature';
import { isDeepStrictEqual } from 'node:util';
import { describe } from '#test';
import { all, fetchMissing, outcomeOf, vectorsIn } from './vectors.ts';

interface Valid {
  name: string;
  invoice: string;
  expected: Record<string, unknown>;
}
interface Invalid {
  reason: string;
  invoice: string;
  needsSignatureCheck: boolean;
}

// The key of the specification's own examples, printed there for everybody.
const KEY = 'e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734';
// The order of fields is free. Where theirs is ours, the same facts and key must give the same letters.
const IN_OUR_ORDER = [0, 1, 2, 3, 5];

const says = (invoice: Bolt11, expected: Record<string, unknown>): boolean =>
  Object.entries(expected).every(([name, value]) => {
    if (name === 'routeHintCount') return invoice.routeHints.length === value;
    if (name === 'fallbackAddress')
      return invoice.fallbacks.some(
        (fallback) => fallbackAddress(fallback, invoice.network) === value,
      );
    return (invoice[name as keyof Bolt11] ?? null) === value;
  });

await fetchMissing('bolt11/invalid.json');

describe('vectors of BOLT 11', () => {
  const valid = vectorsIn<Valid[]>('bolt11/valid.json');
  const invalid = vectorsIn<Invalid[]>('bolt11/invalid.json');
  if (valid) testValid(valid);
  if (invalid) testInvalid(invalid);
});

function testValid(valid: readonly Valid[]): void {
  all('read, every field as stated', valid, ({ invoice, expected }) =>
    says(decodeBolt11(invoice), expected),
  );
  all('verified', valid, ({ invoice }) => verifyBolt11(invoice).text === invoice.toLowerCase());
  const payee = /@(0[23][\da-f]{64})/.exec(valid[0]?.name ?? '')?.[1];
  // Its signature has the other half of S, from which another key is found.
  const other = valid.filter(({ name }) => name.includes('high-S'));
  all(
    'payee recovered',
    valid,
    (one) => (recoverPayee(one.invoice) === payee) !== other.includes(one),
  );
  all(
    'signed again, letter by letter',
    valid.filter((_, at) => IN_OUR_ORDER.includes(at)),
    ({ invoice }) => encodeBolt11(decodeBolt11(invoice), KEY) === invoice,
  );
  all('written again with the same content', valid, ({ invoice }) => {
    const read = { ...decodeBolt11(invoice), text: '' };
    return isDeepStrictEqual({ ...decodeBolt11(encodeUnsignedBolt11(read)), text: '' }, read);
  });
}

function testInvalid(invalid: readonly Invalid[]): void {
  all(
    'refused without looking at the signature',
    invalid.filter(({ needsSignatureCheck }) => !needsSignatureCheck),
    ({ invoice }) => outcomeOf(() => decodeBolt11(invoice)).rule !== undefined,
  );
  all(
    'refused for the signature',
    invalid.filter(({ needsSignatureCheck }) => needsSignatureCheck),
    ({ invoice }) => outcomeOf(() => verifyBolt11(invoice)).rule === 'signature',
  );
}
