// Protects: what editors show of a client is what its operations say.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from '#test';
import { interfaceOf, interfaces, resourceOf } from '../../scripts/interfaces.mjs';
import { registered } from './doors.ts';
import { expectNone } from './none.ts';
import { root, sourceFiles } from './source.ts';

const SAMPLE = `// Samples of a sort.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import type { Sample } from './model.ts';

/** Own options. */
export interface SampleOptions extends CallOptions {}

/**
 * Reads a sample.
 *
 * @param connection how
 * the service is reached
 * @param id which
 * @throws RefusedError
 */
export function find(connection: Connection, id: string, options: SampleOptions = {}): Call<Sample> {
  return send(connection, id, options);
}

/** Lists names. */
export function list(connection: Connection, by: 'name'): string[];
/** Lists ages. */
export function list(connection: Connection, by: 'age'): number[];
export function list(_connection: Connection, _by: string): unknown[] {
  return [];
}

/** Keeps what it is given. */
export function keep<T extends Sample>(connection: Connection, ...samples: readonly T[]): Promise<T> {
  return inner(connection, samples);
}

function inner() {}
`;

const EXPECTED = `// Made from operations.ts by \`npm run interfaces\`: change functions and comments there.
import type { Call } from '../../core/http/index.ts';
import type { Sample } from './model.ts';
import type { SampleOptions } from './operations.ts';

/** Samples of a sort. */
export interface SmallSamples {
  /**
   * Reads a sample.
   *
   * @param id which
   * @throws RefusedError
   */
  find(id: string, options?: SampleOptions): Call<Sample>;

  /** Lists names. */
  list(by: 'name'): string[];

  /** Lists ages. */
  list(by: 'age'): number[];

  /** Keeps what it is given. */
  keep<T extends Sample>(...samples: readonly T[]): Promise<T>;
}
`;

describe('the interfaces of the resources', () => {
  it('have the operations without their connection, with comments and overloads', () => {
    const file = 'src/resources/small-samples/operations.ts';
    expect(interfaceOf(resourceOf(file, SAMPLE))).to.equal(EXPECTED);
  });

  it('are what `npm run interfaces` writes, one for each file of operations', () => {
    const made = interfaces();
    const folders = sourceFiles.filter((file) => file.endsWith('/operations.ts'));
    expect(folders).to.have.length(registered.length);
    expect([...made.keys()]).to.have.members([
      ...folders.map((file) => `src/${file.replace('operations', 'interface')}`),
      'src/client-resources.ts',
    ]);
    const old = [...made].filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text);
    expectNone(old.map(([file]) => `${file} is not as its operations are: npm run interfaces`));
  });
});
