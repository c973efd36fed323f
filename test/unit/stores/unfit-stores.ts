// Stores that must not be used, each for one reason, and what the check says of them.
import {
  type InboxStore,
  memoryInboxStore,
  type MemoryInboxStore,
  memoryStore,
  type MemoryTransaction,
  type ReceivedEvent,
  type Store,
} from 'paystate/stores';
import { randomOf, unfitStores as unfitJournals } from '../flows/pay-lives.ts';

const turn = (): Promise<void> => Promise.resolve();

const changed = (values: (value: unknown) => unknown): Store => {
  const store = memoryStore();
  return {
    ...store,
    put: (key, value) => store.put(key, values(value)),
    compareAndSet: (key, version, value, open) =>
      store.compareAndSet(key, version, values(value), open),
  };
};

const withKeys = (change: (key: string) => string): Store => {
  const store = memoryStore();
  return {
    durable: false,
    get: (key) => store.get(change(key)),
    put: (key, value) => store.put(change(key), value),
    compareAndSet: (key, ...given) => store.compareAndSet(change(key), ...given),
    listOpen: (prefix) => store.listOpen(prefix),
  };
};

/** A process that keeps what it has read, beside a store that others write to. */
const caching = (store: Store): Store => {
  const known = new Map<string, Awaited<ReturnType<Store['get']>>>();
  return {
    ...store,
    async get(key) {
      if (!known.has(key)) known.set(key, await store.get(key));
      return structuredClone(known.get(key));
    },
    async compareAndSet(key, ...given) {
      known.delete(key);
      return store.compareAndSet(key, ...given);
    },
  };
};

type Opener<T> = () => () => T;

/** The same store each time it is opened. */
const shared =
  <T>(make: () => T): Opener<T> =>
  () => {
    const store = make();
    return () => store;
  };

/** Reads, thinks, and writes: whoever writes in between is lost. */
const unlocked = (): Store => {
  const store = memoryStore();
  return {
    ...store,
    async compareAndSet(key, version, value, open) {
      const now = (await store.get(key))?.version ?? 0;
      await turn();
      if (now !== version) return false;
      for (let isDone = false; !isDone; ) {
        const latest = (await store.get(key))?.version ?? 0;
        isDone = await store.compareAndSet(key, latest, value, open);
      }
      return true;
    },
  };
};

export const unfitStores: Readonly<Record<string, readonly [Opener<Store>, RegExp]>> = {
  ...Object.fromEntries(
    Object.entries(unfitJournals).map(([name, unfit]) => [
      name,
      [
        shared(() => unfit(memoryStore(), randomOf(1))),
        /compareAndSet|returns true|confirmed/,
      ] as const,
    ]),
  ),
  'that compares and writes in two steps': [shared(unlocked), /of many concurrent writes/],
  'whose processes keep what they have read': [
    () => {
      const store = memoryStore();
      return () => caching(store);
    },
    /sees a write immediately/,
  ],
  'that forgets what is open': [
    shared(() => ({ ...memoryStore(), listOpen: async () => [] })),
    /listOpen returns/,
  ],
  'that lists what was closed': [
    shared(() => {
      const store = memoryStore();
      const opened = new Set<string>();
      return {
        ...store,
        async compareAndSet(key, version, value, open) {
          if (open) opened.add(key);
          return store.compareAndSet(key, version, value, opened.has(key));
        },
      };
    }),
    /listOpen returns/,
  ],
  'that closes what is put': [
    shared(() => {
      const store = memoryStore();
      const put: Store['put'] = async (key, value) => {
        const { version = 0 } = (await store.get(key)) ?? {};
        await store.compareAndSet(key, version, value);
        return version + 1;
      };
      return { ...store, put };
    }),
    /listOpen returns/,
  ],
  'that takes a prefix for a pattern': [
    shared(() => {
      const store = memoryStore();
      const listOpen: Store['listOpen'] = async (prefix) => {
        const pattern = prefix.toLowerCase();
        const all = await store.listOpen('');
        return all.filter(({ key }) => key.toLowerCase().startsWith(pattern.slice(0, -1)));
      };
      return { ...store, listOpen };
    }),
    /listOpen returns/,
  ],
  'that has no large and small letters': [
    shared(() => withKeys((key) => key.toLowerCase())),
    /different keys never/,
  ],
  'that cuts keys': [shared(() => withKeys((key) => key.slice(0, 255))), /different keys never/],
  'that turns amounts into numbers': [
    shared(() =>
      changed((value) =>
        typeof value === 'string' && value !== '' && !Number.isNaN(Number(value))
          ? Number(value)
          : value,
      ),
    ),
    /JSON values/,
  ],
  'that leaves out what it cannot say': [
    shared(() =>
      changed((value) =>
        JSON.parse(
          JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each)),
        ),
      ),
    ),
    /other values/,
  ],
  'that gives away what it keeps': [
    shared(() => {
      const rows = new Map<string, { value: unknown; version: number }>();
      const store = memoryStore();
      const write = (key: string, value: unknown): number => {
        const version = (rows.get(key)?.version ?? 0) + 1;
        rows.set(key, { value, version });
        return version;
      };
      return {
        ...store,
        get: async (key) => rows.get(key),
        put: async (key, value) => write(key, value),
      };
    }),
    /copy their values/,
  ],
  'that begins to count anew': [
    shared(() => {
      const store = memoryStore();
      return { ...store, put: async (key, value) => (await store.put(key, value), 1) };
    }),
    /raises the version/,
  ],
};

type MemoryInbox = InboxStore<MemoryTransaction>;

/** A memory inbox in which one thing is done otherwise. */
const otherwise = (
  change: (store: MemoryInboxStore) => Partial<MemoryInbox>,
): Opener<MemoryInboxStore> =>
  shared(() => {
    const store = memoryInboxStore();
    const members: (keyof MemoryInboxStore)[] = ['add', 'cursor', 'lease', 'commit', 'deadLetter'];
    members.push('deadLetters', 'requeue', 'counts', 'forget', 'valueOf');
    const bound = members.map((name) => [name, (store[name] as () => unknown).bind(store)]);
    return { durable: false, ...Object.fromEntries(bound), ...change(store) } as MemoryInboxStore;
  });

export const unfitInboxStores: Readonly<
  Record<string, readonly [Opener<MemoryInboxStore>, RegExp]>
> = {
  'that keeps an event twice': [
    otherwise((store) => {
      let count = 0;
      const named = (event: ReceivedEvent) => ({ ...event, id: `${event.id} ${++count}` });
      return { add: (events, cursor) => store.add(events.map(named), cursor) };
    }),
    /stored once/,
  ],
  'that takes a clash for an event it knows': [
    otherwise((store) => ({
      add: async (events, cursor) =>
        (await store.add(events, cursor)).map((each) => (each === 'clash' ? 'known' : each)),
    })),
    /clash/,
  ],
  'that does not tell kinds apart': [
    otherwise((store) => ({
      add: (events, cursor) =>
        store.add(
          events.map((event) => ({ ...event, kind: 'event' })),
          cursor,
        ),
    })),
    /different kinds/,
  ],
  'that forgets its cursor': [otherwise(() => ({ cursor: async () => undefined })), /cursor/],
  'that leases what is leased': [
    otherwise((store) => ({
      lease: async (now, _duration, limit) => [...(await store.lease(now, 0, limit))],
    })),
    /one lease at a time/,
  ],
  'that leases too many': [
    otherwise((store) => ({ lease: (now, duration) => store.lease(now, duration, 99) })),
    /one lease at a time|counts returns/,
  ],
  'that commits for whoever asks': [
    otherwise((store) => ({
      commit: async (lease, commit, write) => (await store.commit(lease, commit, write)) || true,
    })),
    /becomes invalid/,
  ],
  'that writes before it looks whether the lease is void': [
    otherwise((store) => ({
      async commit(lease, commit, write) {
        const other = { kind: 'read', id: 'other', subject: `${lease.subject} other` } as const;
        await store.add([{ ...other, body: '', createdAt: 0, receivedAt: 0 }]);
        const [free] = await store.lease(0, 0, 1);
        await store.commit(free!, { state: 1, done: [other], due: 0 }, write);
        return store.commit(lease, commit);
      },
    })),
    /with its commit, or not at all/,
  ],
  'that keeps no state': [
    otherwise((store) => ({
      commit: (lease, commit, write) => store.commit(lease, { ...commit, state: undefined }, write),
    })),
    /saves the state/,
  ],
  'that lets every lease go at once': [
    otherwise((store) => ({
      commit: (lease, commit, write) => store.commit(lease, { ...commit, until: 0 }, write),
    })),
    /saves the state/,
  ],
  'that forgets what comes during a lease': [
    otherwise((store) => {
      const all: ReceivedEvent[] = [];
      return {
        add: (events, cursor) => (all.push(...events), store.add(events, cursor)),
        commit: (lease, commit, write) => store.commit({ ...lease, events: all }, commit, write),
      };
    }),
    /during a lease/,
  ],
  'that forgets what was not done': [
    otherwise((store) => ({
      commit: (lease, commit, write) =>
        store.commit(lease, { ...commit, done: lease.events }, write),
    })),
    /unfinished events stay/,
  ],
  'that loses dead letters': [otherwise(() => ({ deadLetters: async () => [] })), /dead letter/],
  'that requeues twice': [
    otherwise((store) => ({
      requeue: async (key, event) => (await store.requeue(key, event)) || true,
    })),
    /dead letter/,
  ],
  'that forgets nothing': [otherwise(() => ({ forget: async () => {} })), /forget removes/],
  'that forgets everything': [
    otherwise((store) => ({ forget: () => store.forget(Infinity) })),
    /forget removes/,
  ],
  'that cuts bodies': [
    otherwise((store) => ({
      add: (events, cursor) =>
        store.add(
          events.map((event) => ({ ...event, body: event.body.slice(0, 65_535).trim() })),
          cursor,
        ),
    })),
    /strings are stored/,
  ],
};

/** Two names that some database, path or pattern takes for one. */
export const confusedKeys: readonly (readonly [string, string])[] = [
  ...(
    ['A', 'a ', ' a', 'a/', 'a.', 'a\\', "a'", 'a"', 'a%', 'a_', '%61', 'a?b', 'a*'] as const
  ).map((other) => ['a', other] as const),
  ['a/', 'a//'],
  ['é', 'e\u0301'],
  ['ß', 'ss'],
  ['ı', 'i'],
  ['😀', '😁'],
  ['..', 'null'],
  ['a', '../a'],
  ['0', '00'],
  ['null', '__proto__'],
  ['x'.repeat(400), `${'x'.repeat(400)}y`],
];

/** A store that takes one name for another, after the place that the check writes to. */
export const confusing = ([name, other]: readonly [string, string]): Store =>
  withKeys((key) => {
    const [place = ''] = /^check\/[^/]+\/\d+\//.exec(key) ?? [];
    return key === place + name ? place + other : key;
  });

/** Values of JSON, each with what becomes of it in a store that does not keep it as it was. */
export const spoiltValues: readonly (readonly [value: unknown, spoilt: unknown])[] = [
  [null, 'null'],
  [true, 1],
  [false, 0],
  [0, '0'],
  [-1, 1],
  [0.1, 0.10000000149011612],
  [1e21, 1_000_000_000_000_000],
  [5e-324, 0],
  [9_007_199_254_740_991, 9_007_199_254_740_992],
  [1.7976931348623157e308, null],
  ['', null],
  ['0', 0],
  ['0.10', '0.1'],
  ['1e3', '1000'],
  ['null', null],
  ['2026-01-01T00:00:00.1234567Z', '2026-01-01T00:00:00.123Z'],
  [' a\r\n\t', ' a\n\t'],
  ['\u0000', ''],
  ['\ud800', '\ufffd'],
  ['é e\u0301 😀 \u2028', 'é é 😀 \u2028'],
  ["'; DROP TABLE x; --", "''; DROP TABLE x; --"],
  ['\\u0041 \\', 'A \\'],
  ['x'.repeat(100_000), 'x'.repeat(65_535)],
  [[], {}],
  [{}, []],
  [[[]], []],
  [
    [null, [0, '0']],
    [null, [0, 0]],
  ],
  [
    { a: { b: [{ c: null }] }, '': 1, length: 0, constructor: 'x' },
    { a: { b: [{}] }, '': 1, length: 0, constructor: 'x' },
  ],
  [JSON.parse('{"__proto__":{"a":1},"b":2}'), { b: 2 }],
];

/** Values that JSON cannot say, each with what a store makes of it that says nothing of that. */
export const convertedValues: readonly (readonly [value: unknown, converted: unknown])[] = [
  [10n, '10'],
  [NaN, null],
  [Infinity, null],
  [
    [undefined, 1],
    [null, 1],
  ],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [new Date(0), new Date(1)],
  [new Map([['a', 1]]), {}],
  [new Map([['a', 1]]), new Map()],
  [new Uint8Array([1, 2]), { 0: 1, 1: 2 }],
  [new Uint8Array([1, 2]), new Uint8Array(2)],
];

/** Tells apart what JSON cannot: it is of the same kind and content. */
const isLike = (one: unknown, other: unknown): boolean => {
  const kindOf = (value: unknown): string => Object.prototype.toString.call(value);
  if (typeof one !== 'object' || one === null) return Object.is(one, other);
  if (kindOf(one) !== kindOf(other)) return false;
  if (one instanceof Date) return one.getTime() === (other as Date).getTime();
  if (one instanceof Map) return one.size === (other as Map<unknown, unknown>).size;
  const members = Object.getOwnPropertyNames(one);
  const others = Object.getOwnPropertyNames(other);
  return (
    members.join() === others.join() &&
    members.every((name) =>
      isLike(
        Object.getOwnPropertyDescriptor(one, name)!.value,
        Object.getOwnPropertyDescriptor(other, name)!.value,
      ),
    )
  );
};

/** A store that keeps every value but this one. */
export const spoiling = ([value, spoilt]: readonly [unknown, unknown]): Store =>
  changed((given) => (isLike(value, given) ? spoilt : given));

/** A store that keeps every value but those that hold this one as `odd`. */
export const converting = ([value, converted]: readonly [unknown, unknown]): Store =>
  changed((given) => {
    const { odd } = (given ?? {}) as { readonly odd?: unknown };
    return odd !== undefined && isLike(value, odd) ? { odd: converted } : given;
  });

type Calls = Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** Another answer than the right one, of its kind. */
function wrongFor(name: string, answer: unknown): unknown {
  if (typeof answer === 'boolean') return !answer;
  if (typeof answer === 'number') return answer + 1;
  if (Array.isArray(answer)) return answer.length > 0 ? answer.slice(1) : [answer];
  if (answer === undefined) return { value: 'x', version: 1 };
  return name === 'get' ? { ...answer, value: [answer] } : undefined;
}

/** The same store, whose answer to one call is wrong; `heard` gets the name of each call. */
export function lyingOnce<T extends object>(store: T, nth: number, heard: string[]): T {
  return new Proxy(store, {
    get(_target, name: string) {
      const member = (store as Calls)[name];
      if (typeof member !== 'function' || name === 'valueOf') return member;
      return async (...given: unknown[]) => {
        const number = heard.push(name);
        const answer = await member.apply(store, given);
        return number === nth ? wrongFor(name, answer) : answer;
      };
    },
  });
}
