// workerd has no test runner: tests are collected while the module loads and run inside a request,
// because timers, fetch and randomness exist only there.
type Body = () => void | Promise<void>;

interface Test {
  readonly name: string;
  readonly body: Body;
}

export interface Failure {
  readonly name: string;
  readonly message: string;
}

const LONGEST_TEST = 30_000;

const groups: string[] = [];
const tests: Test[] = [];

export function describe(name: string, body: () => void): void {
  groups.push(name);
  body();
  groups.pop();
}

export function it(name: string, body: Body): void {
  tests.push({ name: [...groups, name].join(' › '), body });
}

/**
 * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node (V8) and in
 * Bun (JavaScriptCore) only, and not in `npm run test:quick`.
 */
export const itLong = (_name: string, _body: Body): void => {};

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => Math.ceil(all / 5);

const tooLong = (): { late: Promise<never>; stop(): void } => {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not settled after ${LONGEST_TEST} ms`)),
      LONGEST_TEST,
    );
  });
  return { late, stop: () => clearTimeout(timer) };
};

/** Runs what was collected, one after the other. */
export async function runAll(): Promise<{ passed: number; failures: Failure[] }> {
  const failures: Failure[] = [];
  for (const { name, body } of tests) {
    const limit = tooLong();
    try {
      await Promise.race([body(), limit.late]);
    } catch (error) {
      failures.push({
        name,
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    } finally {
      limit.stop();
    }
  }
  return { passed: tests.length - failures.length, failures };
}
