import type { ErrorCause } from '../errors/index.ts';

/**
 * What the runtime says of a failed request, of the innermost reason that it gives, without the
 * address. `redact` cuts out secrets before anything is shortened, so that no part of one is left.
 */
export function causeOf(thrown: unknown, redact: (json: string) => string): ErrorCause | undefined {
  try {
    const { name = 'Error', message, code } = ((thrown as Error).cause ?? thrown) as ErrorCause;
    const said = JSON.parse(redact(JSON.stringify({ name, message, code }))) as ErrorCause;
    for (const [member, text] of Object.entries(said))
      Reflect.set(said, member, plainText(text).slice(0, member === 'message' ? 120 : 40));
    return said;
  } catch {
    return undefined; // nothing was thrown, or a value that cannot be read
  }
}

function plainText(text: unknown): string {
  return `${text}`.replace(/\w+:\/\/[^\s)]*/g, '[url]');
}

/** What Node's network layer throws: the system call that failed, and of several addresses each error. */
interface SystemError {
  readonly syscall?: string;
  readonly errors?: readonly SystemError[];
}

/**
 * Whether no connection was made: the host has no address, or none of its addresses takes one, such
 * as ENOTFOUND, EAI_AGAIN and ECONNREFUSED. Only Node names the system call that failed.
 */
export function hadNoConnection(thrown: unknown): boolean {
  const cause = (thrown as { readonly cause?: SystemError } | undefined)?.cause;
  const all = cause?.errors ?? (cause ? [cause] : []);
  return all.length > 0 && all.every((one) => /^(getaddrinfo|connect)$/.test(one?.syscall ?? ''));
}

/**
 * Whether a `fetch` sends a request at most once: only Node's own, without a dispatcher that retries.
 * That of Deno, and that of Bun for some methods, sends a request again after its connection broke,
 * and then reports that the second connection was refused: the first request may have been done.
 */
export function sendsOnce(fetch: unknown): boolean {
  const source = typeof fetch === 'function' ? Function.prototype.toString.call(fetch) : '';
  if (!source.includes('internal/deps/undici')) return false;
  return [1, 2].every((version) => {
    const key = Symbol.for(`undici.globalDispatcher.${version}`);
    const dispatcher = Reflect.get(globalThis, key) as { readonly dispatch: unknown } | undefined;
    if (!dispatcher) return true;
    const { constructor, dispatch } = Object.getPrototypeOf(dispatcher) as typeof dispatcher;
    return constructor.name === 'Agent' && dispatcher.dispatch === dispatch;
  });
}
