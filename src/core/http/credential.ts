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

/** Longest excerpt of a foreign body, characters, and how much of the body is read for it. */
const EXCERPT_LENGTH = 200;
const EXCERPT_SOURCE = 4_096;

/**
 * How a body begins that is not the service's: plain text without markup, without the credential
 * and without any longer text of the request's body, also where only a part of one is repeated.
 */
export function excerptOf(
  text: string,
  credential: string | undefined,
  body: string | undefined,
): string | undefined {
  const plain = text
    .slice(0, EXCERPT_SOURCE)
    .replace(/<(script|style)\b[^]*?(<\/\1[^>]*>?|$)/gi, ' ')
    .replace(/<[^>]*>?/g, ' ');
  const secrets = [credential ?? '', encodeURIComponent(credential ?? ''), ...textsIn(body)];
  return withoutParts(oneLine(plain), secrets.map(oneLine)).slice(0, EXCERPT_LENGTH) || undefined;
}

/** Without control characters and runs of blanks. */
function oneLine(text: string): string {
  return text.replace(/[\0-\x20\x7f-\x9f]+/g, ' ').trim();
}

/** All texts that a body of JSON holds, as they are and as JSON writes them. */
function textsIn(body: string | undefined): string[] {
  const texts: string[] = [];
  JSON.parse(body ?? 'null', (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value, JSON.stringify(value).slice(1, -1));
    return value;
  });
  return texts;
}

/** Replaces whatever shares as many characters with a secret as the shortest secret has. */
function withoutParts(text: string, secrets: readonly string[]): string {
  const parts = new Set<string>();
  for (const secret of secrets)
    for (let at = 0; at + SHORTEST <= secret.length; at++)
      parts.add(secret.slice(at, at + SHORTEST));
  let kept = '';
  for (let at = 0, end = 0; at < text.length; at++) {
    if (parts.has(text.slice(at, at + SHORTEST))) {
      if (at >= end) kept += '[secret]';
      end = at + SHORTEST;
    } else if (at >= end) kept += text[at];
  }
  return kept;
}
