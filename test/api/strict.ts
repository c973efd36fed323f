// The rules that `#test` adds to every runner, so that no test fails unseen: an error belongs to the test that started
// it, however late it comes; a test without a body, a body that returns a function or is a generator, a title used
// twice, a group declared by an async function, and a group or a file without tests are failures. Each runtime gives its
// own `describe` and `it` to `makeStrict`.

/** What a test is given. */
export interface Context {
  /** Ends the test, which then counts as skipped: for what a machine or a clone does not have. */
  skip(why: string): never;
}

type Body = (context: Context) => unknown;
export type Step = () => unknown;
type Declare = (name: string, body: Body) => void;

/** What a runner brings. The body of `it` may end with a `Skipped`. */
export interface Words {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => void | Promise<void>): void;
}

export interface Failure {
  readonly name: string;
  readonly message: string;
}

export interface Skip {
  readonly name: string;
  readonly why: string;
}

/** The counts of one run; `titles` are those of all tests, where the runner knows them. */
export interface Outcome {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly Skip[];
  readonly titles?: readonly string[];
  /** Seconds by file: loading it, its tests and their hooks. */
  readonly seconds?: Readonly<Record<string, number>>;
}

/** Thrown by `skip`. */
export class Skipped extends Error {}

/** One test while it runs, and after it. */
interface Run {
  readonly title: string;
  readonly place: Place;
  hasEnded: boolean;
  why?: string;
  /** Ends the test with an error that it has not thrown itself. */
  fail?(error: unknown): void;
}

interface Storage {
  getStore(): Run | undefined;
  run<T>(run: Run, body: () => T): T;
}

interface ProcessLike {
  readonly versions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(name: string): { readonly AsyncLocalStorage: new () => Storage };
  getActiveResourcesInfo?(): readonly string[];
  on(event: string, listener: (error: unknown) => void): void;
  listeners(event: string): readonly unknown[];
}

const { process, Deno, Bun, window } = globalThis as unknown as {
  readonly process?: ProcessLike;
  readonly Deno?: object;
  readonly Bun?: object;
  readonly window?: object;
};

/** Node of the packages; the machine's own may be older. */
const isNewestNode: boolean =
  !Deno && !Bun && !!process?.versions && Number.parseInt(process.versions['node'] ?? '0') >= 24;

/** How much is run: `npm run test:quick`, `npm test`, or `npm run test:all`. */
const size = (isNewestNode && process!.env['TEST_SIZE']) || 'usual';

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => (isNewestNode ? all : Math.ceil(all / 5));

/** One of two sizes of the same test: that of `npm test`, and that of `npm run test:all`. */
export const sized = <T>(usual: T, whole: T): T => (size === 'all' ? whole : usual);

// Older versions of Node follow every promise for it, which doubles the time of tests in virtual time.
const storage: Storage | undefined =
  isNewestNode || Deno || Bun
    ? new (process!.getBuiltinModule!('node:async_hooks').AsyncLocalStorage)()
    : undefined;

const later = globalThis.setTimeout; // tests may replace it

/** The file of some tests; its name is known once the file has been loaded. */
interface Place {
  file: string;
  seconds: number;
}

const now = performance.now.bind(performance);
const places: Place[] = [];
let lapBegan = now();

/** Counts the time since the last call for the file of a test. */
function endLap(place: Place): void {
  const ended = now();
  place.seconds += (ended - lapBegan) / 1_000;
  lapBegan = ended;
}

/** The seconds of each file so far. */
export const secondsByFile = (): Record<string, number> =>
  Object.fromEntries(places.map(({ file, seconds }) => [file, Number(seconds.toFixed(3))]));

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Failures that no test has thrown: they came late, or where no test waits for them. */
const strays: Failure[] = [];
let current: Run | undefined;
let where = 'before the first test';

/**
 * Counts an error that nobody caught against the test that started it. Where the runtime does not tell which one that
 * is, the running test is taken for it.
 */
export function stray(error: unknown): void {
  const run = storage?.getStore();
  if (run || !current?.hasEnded) strayOf(run ?? current, error);
  else strays.push({ name: `after: ${current.title}`, message: textOf(error) });
}

/** Binds a callback to the test that runs now: for a runtime that tells nobody what its timers throw. */
export function guarded(work: (...values: unknown[]) => unknown): (...values: unknown[]) => void {
  const run = current;
  return (...values) => {
    try {
      work(...values);
    } catch (error) {
      strayOf(run, error);
    }
  };
}

function strayOf(run: Run | undefined, error: unknown): void {
  if (run?.fail && !run.hasEnded) return run.fail(error);
  const lateness = run?.hasEnded ? 'after the test had ended: ' : '';
  strays.push({ name: run?.title ?? where, message: `${lateness}${textOf(error)}` });
}

// mocha in a page would stop the whole run at an error that comes between two tests.
if (window)
  globalThis.addEventListener('error', (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    stray(event.error ?? event.message);
  });

const EVENTS = process?.on && !window ? ['uncaughtException', 'unhandledRejection'] : [];
for (const event of EVENTS) process!.on(event, stray);
if (EVENTS.length === 0)
  globalThis.addEventListener?.('unhandledrejection', (event) => {
    event.preventDefault();
    stray(event.reason);
  });

const SHORTEST_WAIT_MS = 60;
/** Only Node waits so long, for only it says which timers are left: a test that leaves one does so everywhere. */
const LONGEST_WAIT_MS = 1_500;

/** The timers that keep the process alive; unknown where the runtime does not say. */
const timersLeft = (): number =>
  (process?.getActiveResourcesInfo?.() ?? []).filter((name) => name === 'Timeout').length;

/**
 * Waits for what the tests left behind, and gives the failures that no test has thrown. So many timers are the
 * runner's own.
 */
export async function lastFailures(ownTimers = 0): Promise<readonly Failure[]> {
  current = undefined;
  where = 'after the last test';
  const begun = performance.now();
  do await new Promise((resolve) => later(resolve, SHORTEST_WAIT_MS / 2));
  while (
    performance.now() - begun < SHORTEST_WAIT_MS ||
    (timersLeft() > ownTimers && performance.now() - begun < LONGEST_WAIT_MS)
  );
  for (const event of EVENTS)
    if (!process!.listeners(event).includes(stray))
      stray(new Error(`a test has taken away the runner's listener of ${event}`));
  return strays;
}

/** A step of the runner, such as a hook. */
export const beginStep = (name: string): void => {
  current = undefined;
  where = name;
};

/** How many tests have passed, less those that have failed since. */
export const countWithout = (passed: readonly string[], late: readonly Failure[]): number =>
  passed.length -
  new Set(late.map(({ name }) => name).filter((name) => passed.includes(name))).size;

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { readonly then?: unknown } | undefined)?.then === 'function';

/** What a body may not return, for it would never run. */
function checkReturned(value: unknown): void {
  if (typeof value === 'function')
    throw new Error('the body returned a function, which nobody calls');
  // an assertion of chai throws where an unknown member is read
  if ('next' in (Object(value) as object))
    throw new Error('the body is a generator, which nobody runs');
}

/** A step that has done all its work when it ends. */
export const checked =
  (step: Step): Step =>
  () => {
    const result = step();
    if (isThenable(result)) return result.then(checkReturned);
    return checkReturned(result);
  };

/** Settles with the body, or with an error that the test has started and not thrown. */
function settled(run: Run, result: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // From here on an error counts as late: the test can no longer end with it.
    const end = (settle: () => void): void => {
      run.hasEnded = true;
      settle();
    };
    run.fail = (error) => end(() => reject(error));
    result.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

function play(run: Run, body: Body): void | Promise<void> {
  const context: Context = {
    skip(why) {
      run.why = why;
      throw new Skipped(why);
    },
  };
  const end = (value: unknown): void => {
    // A test that catches its own skip has not passed.
    if (run.why !== undefined) throw new Skipped(run.why);
    checkReturned(value);
  };
  current = run;
  const within = <T>(work: () => T): T => (storage ? storage.run(run, work) : work());
  let result: unknown;
  try {
    result = within(() => body(context));
  } finally {
    if (!isThenable(result)) {
      run.hasEnded = true;
      endLap(run.place);
    }
  }
  if (!isThenable(result)) return end(result);
  return settled(run, result)
    .finally(() => endLap(run.place))
    .then(end);
}

type Work = () => void | Promise<void>;

/** Starts works ahead of their turn, so that as many as `width` run at a time; those of one group. */
function sideBySide(width: number): (work: Work) => Work {
  const works: Work[] = [];
  const begun: Promise<void>[] = [];
  return (work) => {
    const at = works.push(work) - 1;
    return () => {
      for (let next = begun.length; next < Math.min(at + width, works.length); next++) {
        begun[next] = (async () => works[next]!())();
        begun[next]!.catch(() => {}); // whoever's turn it is hears of it
      }
      return begun[at]!;
    };
  };
}

interface GroupOptions {
  /** So many tests of the group run at a time: for those that mostly wait for other processes. */
  readonly concurrency?: number;
  /** Why its tests are skipped. */
  readonly skip?: string;
}

export interface StrictWords {
  describe(name: string, body: () => void): void;
  describe(name: string, options: GroupOptions, body: () => void): void;
  readonly it: Declare;
  /**
   * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node only, and
   * not in `npm run test:quick`.
   */
  readonly itLong: Declare;
  /** A further case of a long test: it runs with `npm run test:all` only. */
  readonly itWhole: Declare;
  /** To be called when a file has been loaded; with what it threw, where it could not be. */
  endFile(file: string, error?: unknown): void;
  /** To be called before the first test: what is declared later would never run. */
  begin(): void;
}

/** The words of a runner, with the rules. */
export function makeStrict(words: Words): StrictWords {
  const groups: string[] = [];
  const titles = new Set<string>();
  let declared = 0;
  let hasBegun = false;
  let place: Place = { file: '', seconds: 0 };

  /** Declares a test that fails. */
  function isWrong(name: string, error: unknown): void {
    declared += 1;
    words.it(name, () => {
      throw error;
    });
  }

  type Group = readonly [GroupOptions, () => void] | readonly [() => void];
  let skip: string | undefined;
  let inGroup = (work: Work): Work => work;

  function describe(name: string, ...group: Group): void {
    const [options, body] = group.length === 1 ? [{}, group[0]] : group;
    const outer = { skip, inGroup };
    skip = options.skip ?? skip;
    if (options.concurrency) inGroup = sideBySide(options.concurrency);
    groups.push(name);
    words.describe(name, () => {
      const declaredBefore = declared;
      try {
        const result: unknown = body();
        if (isThenable(result)) {
          result.then(undefined, () => {});
          throw new Error('describe() got an async function: its tests may be lost');
        }
        checkReturned(result);
        if (declared === declaredBefore) throw new Error('a group without a single test');
      } catch (error) {
        isWrong('is declared', error);
      }
    });
    groups.pop();
    ({ skip, inGroup } = outer);
  }

  function it(name: string, body: Body): void {
    const title = [...groups, name].join(' › ');
    if (hasBegun)
      return stray(new Error(`declared after the first test, so it never ran: ${title}`));
    if (typeof body !== 'function') return isWrong(name, new Error('it() got no body'));
    if (titles.has(title))
      return isWrong(name, new Error('another test of this file has the same title'));
    titles.add(title);
    declared += 1;
    const why = skip;
    const here = place;
    const wanted: Body = why === undefined ? body : (context) => context.skip(why);
    words.it(
      name,
      inGroup(() => play({ title, place: here, hasEnded: false }, wanted)),
    );
  }

  return {
    describe,
    it,
    itLong(name, body) {
      declared += 1;
      if (isNewestNode && size !== 'quick') it(name, body);
    },
    itWhole(name, body) {
      declared += 1;
      if (size === 'all') it(name, body);
    },
    endFile(file, error) {
      if (error) isWrong(file, error);
      if (declared === 0) isWrong(file, new Error('a file without a single test'));
      declared = 0;
      titles.clear();
      place.file = file;
      endLap(place);
      places.push(place);
      place = { file: '', seconds: 0 };
    },
    begin() {
      hasBegun = true;
      lapBegan = now(); // workerd has no clock while a module loads
    },
  };
}
