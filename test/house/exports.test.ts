// Protects: nothing becomes public, and nothing public disappears, without somebody reading the change.
import { describe, it } from '#test';
import { acceptedList, currentList } from './export-list.ts';
import { expectNone } from './none.ts';

/** Lines with the entry they stand under, so that a name moved between entries shows. */
const placed = (list: string): string[] => {
  let entry = '';
  return list.split('\n').flatMap((line) => {
    if (line && !line.startsWith(' ')) entry = line;
    return line.trim() ? [`${entry}:${line}`] : [];
  });
};

describe('exports', () => {
  it('are those of the accepted list (npm run generate -- exports writes it)', async () => {
    const [accepted, current] = [placed(acceptedList()), placed(await currentList())];
    expectNone([
      ...current.filter((line) => !accepted.includes(line)).map((line) => `new     ${line}`),
      ...accepted.filter((line) => !current.includes(line)).map((line) => `missing ${line}`),
    ]);
  });
});
