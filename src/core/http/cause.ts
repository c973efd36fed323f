import type { ErrorCause } from '../errors/index.ts';

/**
 * What the runtime says of a failed request, of the innermost reason that it gives. `redact` cuts
 * out secrets before anything is shortened, so that no part of one is left.
 */
export function causeOf(thrown: unknown, redact: (json: string) => string): ErrorCause | undefined {
  try {
    const { name = 'Error', message, code } = ((thrown as Error).cause ?? thrown) as ErrorCause;
    const said = JSON.parse(redact(JSON.stringify({ name, message, code }))) as ErrorCause;
    for (const [member, text] of Object.entries(said))
      Reflect.set(said, member, `${text}`.slice(0, member === 'message' ? 120 : 40));
    return said;
  } catch {
    return undefined; // nothing was thrown, or a value that cannot be read
  }
}
