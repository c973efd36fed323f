import { badField, badInput, type PaystateError } from '../errors/index.ts';

/**
 * A bearer token, or a function that returns one for each request. The function's argument contains
 * the last token that the service refused.
 */
export type Credential =
  | string
  | ((last?: { readonly refused: string }) => string | Promise<string>);

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Validates a bearer token before it's sent, because runtimes include invalid headers in their
 * error messages.
 */
export function checkCredential(field: string, value: unknown): string {
  if (typeof value === 'string' && VISIBLE_ASCII.test(value)) return value;
  if (!value) throw badInput(field, 'is required');
  throw badInput(
    field,
    typeof value === 'string' && /^Bearer /i.test(value)
      ? 'must be just the key, without Bearer'
      : 'must be visible ASCII without spaces or line breaks',
  );
}

/**
 * Returns the token to send, and validates it if it came from a function. `refused` is the last
 * token that the service refused.
 */
export async function readBearer(
  credential: Credential | undefined,
  refused?: string,
): Promise<string | undefined> {
  return typeof credential === 'function'
    ? checkCredential('token', await credential(refused === undefined ? refused : { refused }))
    : credential;
}

const UUID_LIKE = /^[0-9A-Za-z-]{1,64}$/;

export function checkIdempotencyKey(value: string): string {
  if (UUID_LIKE.test(value)) return value;
  throw badField('idempotencyKey', 'must be a UUID');
}

/**
 * Checks whether the error requires a new login. Other errors from the token function may be
 * temporary.
 */
export function isLoginOver({ kind, next }: PaystateError): boolean {
  return kind === 'authentication' && next !== 'retry';
}

/**
 * Key for the option that allows an API key in a page, for sandboxes and tests. It's a symbol, so
 * it can't be set by accident. All copies of this package share it.
 */
export const allowSecretInBrowser: unique symbol = Symbol.for('paystate.allowSecretInBrowser');

/**
 * Minimum length of a string that is treated as a secret. Shorter strings are likely to occur in
 * ordinary text.
 */
const MIN_SECRET_LENGTH = 8;

/**
 * Removes the credential, and a `secret` in the request's body, from a JSON string, because a
 * server may repeat them in an error response. The string must come from `JSON.stringify`.
 */
export function redact(
  json: string,
  credential: string | undefined,
  body: string | undefined,
): string {
  const [, secret] = (body && /"secret":"((?:[^"\\]|\\.)+)"/.exec(body)) || [];
  return without(without(json, credential && JSON.stringify(credential).slice(1, -1)), secret);
}

function without(text: string, secret: string | undefined): string {
  if (!secret || secret.length < MIN_SECRET_LENGTH) return text;
  // a JSON string can contain the request as JSON, with escape sequences escaped again
  const parts = secret.split(/\\+/).map((part) => part.replace(/\W/g, '\\$&'));
  return text.replace(new RegExp(parts.join('\\\\+'), 'g'), '[secret]');
}

/**
 * Maximum length of an excerpt, in characters. `EXCERPT_SOURCE_LENGTH` limits how much of the body
 * it's taken from.
 */
const MAX_EXCERPT_LENGTH = 200;
const EXCERPT_SOURCE_LENGTH = 4_096;

/**
 * Returns the start of a response body that isn't from the service, as plain text without markup.
 * Removes the credential and any string from the request, even if the body repeats only part of it.
 */
export function redactExcerpt(
  text: string,
  credential: string | undefined,
  body: string | undefined,
): string | undefined {
  const plain = text
    .slice(0, EXCERPT_SOURCE_LENGTH)
    .replace(/<(script|style)\b[^]*?(<\/\1[^>]*>?|$)/gi, ' ')
    .replace(/<[^>]*>?/g, ' ');
  const secrets = [credential ?? '', encodeURIComponent(credential ?? ''), ...textsIn(body)];
  return (
    withoutParts(oneLine(plain), secrets.map(oneLine)).slice(0, MAX_EXCERPT_LENGTH) || undefined
  );
}

/** Replaces line breaks, control characters and text direction marks with spaces. */
function oneLine(text: string): string {
  return text
    .replace(/[\0-\x20\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
}

/** Returns all strings in a JSON body, both decoded and JSON-encoded. */
function textsIn(body: string | undefined): string[] {
  const texts: string[] = [];
  JSON.parse(body ?? 'null', (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value, JSON.stringify(value).slice(1, -1));
    return value;
  });
  return texts;
}

/**
 * Removes every part of a text that repeats `MIN_SECRET_LENGTH` or more consecutive characters of a
 * secret.
 */
function withoutParts(text: string, secrets: readonly string[]): string {
  const parts = new Set<string>();
  for (const secret of secrets)
    for (let at = 0; at + MIN_SECRET_LENGTH <= secret.length; at++)
      parts.add(secret.slice(at, at + MIN_SECRET_LENGTH));
  let kept = '';
  for (let at = 0, end = 0; at < text.length; at++) {
    if (parts.has(text.slice(at, at + MIN_SECRET_LENGTH))) {
      if (at >= end) kept += '[secret]';
      end = at + MIN_SECRET_LENGTH;
    } else if (at >= end) kept += text[at];
  }
  return kept;
}
