import { checkMethods } from '../core/errors/index.ts';
import { isSettled } from '../resources/any-resource.ts';
import type { Recording } from './recording.ts';

/** Result of a matcher, in the format of `expect.extend`. */
export interface Matched {
  /** Whether the expectation is met. */
  readonly pass: boolean;
  /** Returns the message for the test report. */
  message(): string;
}

/** The fields of a ledger posting that the matchers use. */
export interface BookedPosting {
  /** Reason for the posting, such as `payment COMPLETED`. */
  readonly why: string;
  /** Id of the resource that caused the posting. */
  readonly entityId: string;
}

/** Matchers for test runners, by name. */
export interface Matchers {
  /**
   * Expects exactly one payment in a sandbox's `ledger` to have taken money that wasn't returned.
   * `kind` can also be a payout, a deposit or an exchange.
   */
  toBePaidOnce(books: { readonly postings: readonly BookedPosting[] }, kind?: PaidKind): Matched;
  /**
   * Expects a write to have been sent at least once, always with the same path, idempotency key and
   * body. Select the write by method and path, such as `/^POST .*\/invoices$/`, or by a string in
   * its request, such as a correlation id.
   */
  toHaveSentOnce(recording: Recording, command: RegExp | string): Matched;
  /**
   * Expects a watch's snapshot, or a value, to have this final state. If you omit `state`, any
   * final state matches.
   */
  toBeSettled(shown: ShownState, state?: string): Matched;
}

/** Types of transfers, as named in the ledger. */
export type PaidKind = 'payment' | 'payout' | 'deposit' | 'exchange';

/** Matches the last ledger posting of a transfer that failed, was reversed, or never took money. */
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
    message: () => `expected exactly one ${kind} that was debited and not refunded, found ${found}`,
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
    message: () =>
      `expected exactly one command that matches ${String(command)}, found\n  ${found}`,
  };
}

/** A watch's snapshot, or a value itself. */
export interface ShownState {
  /** The snapshot's value. */
  readonly value?: { readonly state?: string | undefined } | undefined;
  /** The value's state, if you pass the value itself. */
  readonly state?: string | undefined;
}

function toBeSettled(shown: ShownState, state?: string): Matched {
  const { state: found = '' } = shown.value ?? shown;
  return {
    pass: isSettled(found) && (state === undefined || state === found),
    message: () => `expected ${state ?? 'a settled state'}, found ${found || 'no state'}`,
  };
}

/**
 * Matchers for test runners. With Vitest and Jest, use `expect.extend(matchers)`. With other
 * runners, use `pass` and `message` from the results.
 *
 * @example
 * const { pass, message } = matchers.toBeSettled({ state: 'PAID' }, 'PAID');
 * if (!pass) throw new Error(message());
 */
export const matchers: Matchers = { toBePaidOnce, toHaveSentOnce, toBeSettled };

/** The part of chai that the plugin uses. */
export interface ChaiLike {
  /** Chai's `Assertion` class. */
  readonly Assertion: {
    addMethod(name: string, method: (this: unknown, ...given: unknown[]) => void): void;
  };
}

interface ChaiAssertion {
  readonly _obj: unknown;
  assert(pass: boolean, message: string, negated: string): void;
}

/**
 * Chai plugin with the same matchers. Call `chai.use(chaiMatchers)`, and then, for example,
 * `expect(sandbox.ledger).toBePaidOnce()`.
 * @param chai the argument from `chai.use`
 *
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
      assertion.assert(
        said.pass,
        said.message(),
        said.message().replace('expected', 'did not expect'),
      );
    });
}
