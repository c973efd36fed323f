// Provides `crypto.subtle` to a program. The program's worker isn't a secure context, so browsers
// don't offer `crypto.subtle` there. The frame around the worker is a secure context. It computes
// for the worker and keeps the keys.

/** A worker's request to its frame. Numbers stand for keys that the frame keeps. */
export interface Question {
  readonly ask: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

/** The frame's response to a request from its worker. */
export interface Answer {
  readonly answer: number;
  readonly value?: unknown;
  readonly problem?: string;
}

const METHODS = ['digest', 'importKey', 'generateKey', 'sign', 'verify'] as const;
type Method = (typeof METHODS)[number];

/** A reference to a key that the frame keeps. */
interface KeyName {
  readonly keptKey: number;
}

const isKeyName = (value: unknown): value is KeyName =>
  typeof (value as Partial<KeyName> | null)?.keptKey === 'number';

export const isQuestion = (value: unknown): value is Question =>
  METHODS.includes((value as Partial<Question>).method as Method);

/** Runs in the frame. Returns a function that answers the requests of one worker. */
export function answerer(): (question: Question) => Promise<Answer> {
  const keys: CryptoKey[] = [];
  const named = (value: unknown): unknown =>
    value instanceof CryptoKey ? { keptKey: keys.push(value) - 1 } : value;
  return async ({ ask, method, args }) => {
    try {
      const given = args.map((one) => (isKeyName(one) ? keys[one.keptKey] : one));
      const compute = crypto.subtle[method] as (...all: unknown[]) => Promise<unknown>;
      return { answer: ask, value: named(await compute.apply(crypto.subtle, given)) };
    } catch (thrown) {
      return { answer: ask, problem: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/**
 * Runs in the worker, and adds `crypto.subtle` if the platform has none. Pass the frame's answers
 * to the returned function.
 */
export function askForCrypto(send: (question: Question) => void): (answer: Answer) => void {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  const call =
    (method: Method) =>
    (...args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        send({ ask: asked, method, args });
      });
  if (!crypto.subtle) {
    const subtle = Object.fromEntries(METHODS.map((method) => [method, call(method)]));
    Object.defineProperty(crypto, 'subtle', { value: subtle });
  }
  return ({ answer, value, problem }) => {
    const found = waiting.get(answer);
    waiting.delete(answer);
    if (problem === undefined) found?.resolve(value);
    else found?.reject(new Error(problem));
  };
}
