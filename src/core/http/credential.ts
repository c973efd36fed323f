import { badField, badInput, type PaystateError } from '../errors/index.ts';

/**
 * A bearer text, or a function that gets one for each request; it is told which one the service
 * refused last.
 */
export type Credential =
  | string
  | ((last?: { readonly refused: string }) => string | Promise<string>);

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Checks a bearer text before it comes near a header: runtimes put a bad header's whole value
 * into their error messages.
 */
export function checkCredential(field: string, value: unknown): string {
  if (typeof value === 'string' && VISIBLE_ASCII.test(value)) return value;
  throw badInput(field, 'is required: visible ASCII without spaces');
}

/**
 * The text to send now, checked where it is got for each request; what gets it is told which one
 * was refused last.
 */
export async function bearerOf(
  credential: Credential | undefined,
  refused?: string,
): Promise<string | undefined> {
  return typeof credential === 'function'
    ? checkCredential('token', await credential(refused === undefined ? refused : { refused }))
    : credential;
}

const UUID_LIKE = /^[0-9A-Za-z-]{1,64}$/;

/** Checks an idempotency key: it travels in a header too. */
export function checkIdempotencyKey(value: string): string {
  if (UUID_LIKE.test(value)) return value;
  throw badField('idempotencyKey', 'must be a UUID');
}

/**
 * The login server, or the service itself, demands a new login; otherwise a credential could only
 * not be got.
 */
export function isLoginOver({ kind, next }: PaystateError): boolean {
  return kind === 'authentication' && next !== 'retry';
}

/**
 * Has to be imported to be used: lets an API key work where a `document` exists. For sandboxes and
 * tests.
 */
export const allowSecretInBrowser: unique symbol = Symbol('paystate.allowSecretInBrowser');

/** Shorter texts are no secrets, and stand in too many words. */
const SHORTEST = 8;

/**
 * A text of JSON without the credential, and without a secret that the body held: a server that
 * repeats what it was sent must not bring it into an error. Only the form that `JSON.stringify`
 * gives is looked through.
 */
export function redact(
  json: string,
  credential: string | undefined,
  body: string | undefined,
): string {
  const [, secret] = /"secret":"((?:[^"\\]|\\.)+)"/.exec(body ?? '') ?? [];
  const secrets = [credential && JSON.stringify(credential).slice(1, -1), secret];
  return secrets.reduce<string>(
    (text, one) => (one && one.length >= SHORTEST ? text.replaceAll(one, '[secret]') : text),
    json,
  );
}
