import { checkArgument } from '../core/errors/index.ts';
import { systemUuid } from '../core/platform.ts';
import { sameContent } from '../core/watch.ts';
import type { Store } from '../stores/store.ts';

/** Test cases for a store, by the message to report if they fail. */
export type Cases<T> = Readonly<Record<string, (given: T) => Promise<void>>>;

/** Runs all test cases. If any fail, throws one error that lists them. */
export async function runCases<T>(
  cases: Cases<T>,
  prepare: (number: number) => T | Promise<T>,
): Promise<void> {
  const problems: string[] = [];
  let number = 0;
  for (const [title, run] of Object.entries(cases))
    try {
      await run(await prepare(++number));
    } catch (thrown) {
      problems.push(`${title}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  if (problems.length === 0) return;
  throw new Error(`this store is not safe to use\n${problems.map((one) => `- ${one}`).join('\n')}`);
}

export function same(found: unknown, wanted: unknown, what: string): void {
  if (!sameContent(found, wanted))
    throw new Error(`${what}: ${describe(found)} instead of ${describe(wanted)}`);
}

function describe(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 300);
}

export function isRefused(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  );
}

interface Given {
  readonly one: Store;
  readonly two: Store;
  readonly key: (name: string) => string;
}

/**
 * Checks whether your own store is safe for payments and logins. Tests for lost updates, concurrent
 * writes from two processes, stale reads, altered values and mixed-up keys. It can't test a power
 * failure.
 * @param open opens the store as another process would. All calls must open the same store. It may
 * contain other data, because all keys in the check start with `check/`
 * @throws Error that lists all mistakes
 *
 * @example
 * const store = memoryStore();
 * await checkStore(() => store);
 */
export async function checkStore(open: () => Store | Promise<Store>): Promise<void> {
  checkArgument('open', open, 'function!');
  const place = `check/${systemUuid()}`;
  await runCases(CASES, async (number) => ({
    one: await open(),
    two: await open(),
    key: (name) => `${place}/${number}/${name}`,
  }));
}

const CASES: Cases<Given> = {
  async 'a key that was never written has no value'({ one, key }) {
    same(await one.get(key('a')), undefined, 'get');
    same(await one.compareAndSet(key('a'), 1, 'x'), false, 'compareAndSet of version 1');
    same(await one.get(key('a')), undefined, 'get after it');
  },
  async 'get returns what put wrote, and each put raises the version by one'({ one, key }) {
    same([await one.put(key('a'), { n: 1 }), await one.put(key('a'), { n: 2 })], [1, 2], 'put');
    same(await one.get(key('a')), { value: { n: 2 }, version: 2 }, 'get');
  },
  async 'put and get copy their values'({ one, key }) {
    const value = { list: [1] };
    await one.put(key('a'), value);
    value.list.push(2);
    ((await one.get(key('a')))?.value as typeof value | undefined)?.list.push(3);
    same(
      (await one.get(key('a')))?.value,
      { list: [1] },
      'get after the caller changed both objects',
    );
  },
  async 'compareAndSet replaces only the current version'({ one, key }) {
    const set = (version: number, value: string) => one.compareAndSet(key('a'), version, value);
    same(
      [await set(0, 'first'), await set(0, 'second')],
      [true, false],
      'results of two writes that expect version 0',
    );
    same([await set(1, 'third'), await set(2, 'fourth')], [true, true], 'over the current version');
    same(
      [await set(2, 'old'), await set(1, 'old'), await set(0, 'old')],
      [false, false, false],
      'over old versions',
    );
    same([await set(4, 'new'), await set(-1, 'new')], [false, false], 'over future versions');
    same(await one.get(key('a')), { value: 'fourth', version: 3 }, 'get');
    await one.put(key('a'), 'put');
    same([await set(3, 'old'), await set(4, 'fifth')], [false, true], 'after a put');
  },
  async 'exactly one of many concurrent writes succeeds and returns true'({ one, two, key }) {
    for (const version of [0, 1, 2]) {
      const attempts = Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? one : two).compareAndSet(key('a'), version, n),
      );
      const won = await Promise.all(attempts);
      same(won.filter(Boolean).length, 1, `successful writes over version ${version}`);
      same(
        (await two.get(key('a')))?.value,
        won.indexOf(true),
        'the value of the successful write',
      );
    }
  },
  async 'no update is lost'({ one, two, key }) {
    const add = async (store: Store): Promise<void> => {
      for (let done = 0, tries = 0; done < 6; ) {
        if (++tries > 1_000) throw new Error('a writer failed 1,000 times');
        const { value = 0, version = 0 } = (await store.get(key('sum'))) ?? {};
        if (await store.compareAndSet(key('sum'), version, (value as number) + 1)) done++;
      }
    };
    await Promise.all([one, two, one, two].map(add));
    same(
      await two.get(key('sum')),
      { value: 24, version: 24 },
      'total after four writers added one six times each',
    );
  },
  async 'a confirmed write is readable'({ one, two, key }) {
    for (let version = 0; version < 30; version++) {
      const isWritten = await one.compareAndSet(key('a'), version, { version });
      same(isWritten, true, `compareAndSet over version ${version}`);
      same(await two.get(key('a')), { value: { version }, version: version + 1 }, 'get');
    }
  },
  async 'another process sees a write immediately'({ one, two, key }) {
    await one.put(key('a'), 1);
    same((await two.get(key('a')))?.value, 1, 'the first value');
    await one.compareAndSet(key('a'), 1, 2, true);
    same(await two.get(key('a')), { value: 2, version: 2 }, 'the second value');
    same(await two.compareAndSet(key('a'), 1, 3), false, 'compareAndSet over the old version');
    same((await two.listOpen(key(''))).length, 1, 'open rows');
    await one.compareAndSet(key('a'), 2, 4, false);
    same(await two.listOpen(key('')), [], 'open rows after another process closed one');
  },
  async 'listOpen returns the open rows sorted by key'({ one, two, key }) {
    for (const name of ['pay/b', 'pay/a', 'pay/B', 'other/c', 'pay/closed', 'pay%', 'paz/a'])
      await one.compareAndSet(key(name), 0, name, true);
    await one.compareAndSet(key('pay/never'), 0, 'x');
    await one.put(key('pay/put'), 'x');
    await one.compareAndSet(key('pay/closed'), 1, 'done');
    await two.put(key('pay/b'), 'again');
    const found = (await two.listOpen(key('pay/'))).map(({ key: name, row }) => [name, row]);
    same(
      found,
      [
        [key('pay/B'), { value: 'pay/B', version: 1 }],
        [key('pay/a'), { value: 'pay/a', version: 1 }],
        [key('pay/b'), { value: 'again', version: 2 }],
      ],
      'listOpen of pay/',
    );
    await one.compareAndSet(key('😀/é'), 0, 1, true);
    same((await one.listOpen(key('😀/'))).length, 1, 'open rows below 😀/');
    same((await one.listOpen(key(''))).length, 7, 'open rows');
  },
  async 'different keys never collide'({ one, two, key }) {
    const names = [...ODD_KEYS, 'x'.repeat(400), `${'x'.repeat(400)}y`];
    for (const [n, name] of names.entries())
      same(
        await one.compareAndSet(key(name), 0, n),
        true,
        `the first write of ${name.slice(0, 9)}`,
      );
    for (const [n, name] of names.entries())
      same((await two.get(key(name)))?.value, n, `get of ${name.slice(0, 9)}`);
  },
  async 'JSON values come back unchanged'({ one, two, key }) {
    for (const [n, value] of VALUES.entries()) {
      await one.compareAndSet(key(`${n}`), 0, value, true);
      same((await two.get(key(`${n}`)))?.value, value, 'get');
    }
    const listed = await two.listOpen(key(''));
    same(listed.length, VALUES.length, 'open rows');
    for (const { key: name, row } of listed)
      same(row.value, VALUES[parseInt(name.slice(key('').length), 10)], 'listOpen');
  },
  async 'other values are rejected or come back unchanged'({ one, two, key }) {
    for (const [name, [odd, isKept]] of Object.entries(ODD_VALUES)) {
      await one.put(key(name), 'before');
      const isGone = await isRefused(one.compareAndSet(key(name), 1, { odd }));
      const found = (await two.get(key(name)))?.value;
      if (isGone) same(found, 'before', `value after the store refused ${name}`);
      else if (!isKept(Object(found).odd)) throw new Error(`${name} was changed`);
    }
  },
};

const ODD_KEYS = [
  ...['a', 'A', 'a ', ' a', 'a/', 'a//', 'a.', 'a\\', "a'", 'a"', 'a%', 'a_', '%61', 'a?b', 'a*'],
  ...[
    'é',
    'e\u0301',
    'ß',
    'ss',
    'ı',
    'i',
    '😀',
    '😁',
    '..',
    '../a',
    '__proto__',
    'null',
    '0',
    '00',
  ],
];

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.1, 1e21, 5e-324, 9_007_199_254_740_991, 1.7976931348623157e308],
  ...[
    '',
    '0',
    '0.10',
    '1e3',
    'null',
    '2026-01-01T00:00:00.1234567Z',
    ' a\r\n\t',
    '\u0000',
    '\ud800',
  ],
  ...['é e\u0301 😀 \u2028', "'; DROP TABLE x; --", '\\u0041 \\', 'x'.repeat(100_000)],
  ...[
    [],
    {},
    [[]],
    [null, [0, '0']],
    { a: { b: [{ c: null }] }, '': 1, length: 0, constructor: 'x' },
  ],
  JSON.parse('{"__proto__":{"a":1},"b":2}'),
];

/**
 * Values that aren't JSON. If the store accepts one, the function checks that the value comes back
 * unchanged.
 */
const ODD_VALUES: Readonly<Record<string, readonly [unknown, (found: unknown) => boolean]>> = {
  'a bigint': [10n, (found) => found === 10n],
  NaN: [NaN, (found) => Object.is(found, NaN)],
  'an infinite number': [Infinity, (found) => found === Infinity],
  'a list with undefined': [
    [undefined, 1],
    (found) => 0 in Object(found) && Object(found)[0] === undefined,
  ],
  'a date': [new Date(0), (found) => found instanceof Date && found.getTime() === 0],
  'a map': [new Map([['a', 1]]), (found) => found instanceof Map && found.get('a') === 1],
  bytes: [new Uint8Array([1, 2]), (found) => found instanceof Uint8Array && found[1] === 2],
};
