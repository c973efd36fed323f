// Protects: what editors show of a client is what its operations say.
import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from '#test';
import { generated, resourceOf, resourcesText } from '../../scripts/operations.ts';
import { registered } from './doors.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const SAMPLE = `// Samples of a sort.
import { type Call, type CallOptions, type Connection, send } from '../core/http/index.ts';
import type { Sample } from './samples.ts';

/** POST /samples @source documented */
export const findEndpoint: Endpoint<{}, void, Sample> = {};

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

/** Makes a condition. */
export function whereSample(build: (fields: Sample) => string): string {
  return build({});
}
`;

const EXPECTED = `// Made by the build from src/resources: change functions and comments there.
import type { Call, Unbound } from '../core/http/index.ts';
import type { Sample } from '../resources/samples.ts';
import type { SampleOptions } from '../resources/small-samples.ts';
import * as smallSamples from './operations/small-samples.ts';

// Made from src/resources/small-samples.ts.
/** Samples of a sort. */
interface SmallSamples {
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

/**
 * The resources of a client. They and their operations are plain members, so your test can
 * replace them.
 */
export interface Resources {
  /** Samples of a sort. */
  smallSamples: SmallSamples;
}

/** Their operations, as functions of a connection. */
export const operations: Unbound<Resources> = {
  smallSamples: { find: smallSamples.find, list: smallSamples.list, keep: smallSamples.keep },
};
`;

const sample = resourceOf({ member: 'smallSamples', name: 'small-samples' }, SAMPLE);

describe('what is generated from the resources', () => {
  it('has the operations without their connection, with comments and overloads', () => {
    expect(resourcesText([sample])).to.equal(EXPECTED);
  });

  it('finds the endpoints by their names', () => {
    expect(sample.endpoints).to.deep.equal(['find']);
  });

  it('is there as the build makes it, for each resource', () => {
    const made = generated();
    expect([...made.keys()]).to.have.members([
      'src/generated/resources.ts',
      'src/generated/engine.ts',
      ...registered.flatMap(([, name]) => [
        `src/generated/operations/${name}.ts`,
        `src/generated/endpoints/${name}.ts`,
      ]),
    ]);
    const there = globSync('src/generated/**/*.ts', { cwd: root });
    expect(there.map((file) => file.replaceAll('\\', '/'))).to.have.members([...made.keys()]);
    expectNone([...made].filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text));
  });
});
