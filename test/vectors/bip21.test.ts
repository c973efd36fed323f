import { parseBitcoinUri } from 'paystate/lightning';
import { describe } from '#test';
import { all, outcomeOf, vectorsIn } from './vectors.ts';

interface Vector {
  uri: string;
  address?: string;
  valid: boolean | null;
  options?: Record<string, string>;
}

describe('vectors of bitcoin: links', () => {
  const vectors = vectorsIn<Vector[]>('bip21/bip21.json');
  if (!vectors) return;

  all(
    'links read, address and amount as written',
    vectors.filter(({ valid }) => valid === true),
    ({ uri, address, options }) => {
      const { value } = outcomeOf(() => parseBitcoinUri(uri));
      if (!value || (address !== undefined && value.address !== address)) return false;
      const read: Record<string, string | undefined> = {
        ...value.other,
        amount: value.amount?.amount,
        label: value.label,
        message: value.message,
      };
      return Object.entries(options ?? {}).every(([key, wanted]) => read[key] === wanted);
    },
  );
  all(
    'links refused',
    vectors.filter(({ valid }) => valid === false),
    ({ uri }) => outcomeOf(() => parseBitcoinUri(uri)).rule !== undefined,
  );
  // Not by the book, but people paste them: read all the same.
  all(
    'links tolerated',
    vectors.filter(({ valid }) => valid === null),
    ({ uri, address }) => outcomeOf(() => parseBitcoinUri(uri)).value?.address === address,
  );
});
