import { checkMethods } from '../core/errors/index.ts';
import { isSettled } from '../resources/any-resource.ts';
import type { Recording } from './recording.ts';

/** The result of a matcher, in the form of `expect.extend`. */
export interface Matched {
  /** True if it is so. */
  readonly pass: boolean;
  /** The actual state, for the report of a test. */
  message(): string;
}

/** The members of a posting that are used here. */
export interface BookedPosting {
  /** The reason, such as `payment COMPLETED`. */
  readonly why: string;
  /** Its subject. */
  readonly entityId: string;
}

/** The matchers, by their names. */
export interface Matchers {
  /**
   * Expects of the `ledger` of a sandbox that exactly one payment took money and kept it, by the
   * books.
   */
  toBePaidOnce(books: { readonly postings: readonly BookedPosting[] }, kind?: PaidKind): Matched;
  /**
   * Expects of a recording that a command was sent as one, always with the same path, idempotency
   * key and body, however often. It is named by its method and path, such as `/^POST
   * .*\/invoices$/`, or by a text that its request holds, such as a correlationId.
   */
  toHaveSentOnce(recording: Recording, command: RegExp | string): Matched;
  /**
   * Expects of a snapshot of a watch, or of a value, that its state is this one and ends a watch;
   * any such state when absent.
   */
  toBeSettled(shown: ShownState, state?: string): Matched;
}

/** The kinds of movement by which money leaves, as the books name them. */
export type PaidKind = 'payment' | 'payout' | 'deposit' | 'exchange';

/** The money of a kind came back, or was never taken: its last posting says so. */
const GIVEN_BACK = / (FAILED|REVERSED|NEW)$/;

function toBePaidOnce(
  { postings }: { readonly postings: readonly BookedPosting[] },
  kind: PaidKind = 'payment',
): Matched {
  const last = new Map<string, string>();
  for (const { why, entityId } of postings) if (why.startsWith(`${kind} `)) last.set(entityId, why);
  const kept = [...last].filter(([, why]) => !GIVEN_BACK.test(why)).map(([id]) => id);
  const found = kept.length === 0 ? 'none' : `${kept.length}: ${kept.join(', ')}`;
  return {
    pass: kept.length === 1,
    message: () => `expected one ${kind} that was paid and kept; the books have ${found}`,
  };
}

function toHaveSentOnce({ exchanges }: Recording, command: RegExp | string): Matched {
  const sent = exchanges
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, idempotencyKey = '', body = '' }) => ({
      line: `${method} ${path}`,
      text: [`${method} ${path}`, idempotencyKey, body].join(' ').trimEnd(),
    }))
    .filter(({ line, text }) =>
      typeof command === 'string' ? text.includes(command) : command.test(line),
    );
  const different = [...new Set(sent.map(({ text }) => text))];
  const found = different.length === 0 ? 'nothing' : `${different.join('\n  ')}`;
  return {
    pass: different.length === 1,
    message: () => `expected one command that fits ${String(command)}; sent was\n  ${found}`,
  };
}

/** The result of a watch, or a value itself. */
export interface ShownState {
  /** The value of the watch, in a snapshot. */
  readonly value?: { readonly state?: string | undefined } | undefined;
  /** The state of a value itself. */
  readonly state?: string | undefined;
}

function toBeSettled(shown: ShownState, state?: string): Matched {
  const { state: found = '' } = shown.value ?? shown;
  return {
    pass: isSettled(found) && (state === undefined || state === found),
    message: () => `expected ${state ?? 'a settled state'}; it is ${found || 'without a state'}`,
  };
}

/**
 * Matchers for your own test runner: `expect.extend(matchers)` with Vitest and Jest. Each says what
 * is the case: with other runners use `{ pass, message }` itself.
 *
 * @example
 * const { pass, message } = matchers.toBeSettled({ state: 'PAID' }, 'PAID');
 * if (!pass) throw new Error(message());
 */
export const matchers: Matchers = { toBePaidOnce, toHaveSentOnce, toBeSettled };

/** The part of chai that a plugin needs. */
export interface ChaiLike {
  /** Chai's own. */
  readonly Assertion: {
    addMethod(name: string, method: (this: unknown, ...given: unknown[]) => void): void;
  };
}

/** An assertion of chai, as far as a matcher uses it. */
interface ChaiAssertion {
  readonly _obj: unknown;
  assert(pass: boolean, message: string, negated: string): void;
}

/**
 * The same matchers for chai: `chai.use(chaiMatchers)`, then
 * `expect(sandbox.ledger).toBePaidOnce()`.
 *
 * @param chai as `chai.use` gives it
 * @example
 * const names: string[] = [];
 * chaiMatchers({ Assertion: { addMethod: (name) => void names.push(name) } });
 * console.log(names); // ['toBePaidOnce', 'toHaveSentOnce', 'toBeSettled']
 */
export function chaiMatchers(chai: ChaiLike): void {
  const { Assertion } = Object(chai) as ChaiLike;
  checkMethods('chai.Assertion', Assertion, 'addMethod');
  for (const [name, match] of Object.entries(matchers))
    Assertion.addMethod(name, function (this: unknown, ...given: unknown[]) {
      const assertion = this as ChaiAssertion;
      const said = (match as (...all: unknown[]) => Matched)(assertion._obj, ...given);
      assertion.assert(said.pass, said.message(), `${said.message()}, which it must not be`);
    });
}
