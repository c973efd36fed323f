import { WebhookError } from '../core/errors/index.ts';
import { systemBytes } from '../core/platform.ts';

/** The service's bounds, in UTF-16 code units. */
const SHORTEST = 10;
const LONGEST = 50;

/**
 * Makes a secret for a subscription: 32 random bytes as 43 characters of base64url. Keep it where
 * the receiver finds it again: a new one at every start would orphan the subscription.
 *
 * @example
 * const secret = generateWebhookSecret();
 */
export function generateWebhookSecret(): string {
  const text = btoa(String.fromCharCode(...systemBytes(32)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * The secrets as keys. Refuses those that the service would not take; says which one, never what it
 * is.
 */
export function keysOf(secrets: string | readonly string[]): readonly Uint8Array[] {
  const all: readonly unknown[] =
    typeof secrets === 'string' ? [secrets] : Array.isArray(secrets) ? secrets : [];
  if (all.length === 0) throw invalidSecret(0, 'is missing: check how it reaches this program');
  return all.map((secret, place) => {
    if (typeof secret !== 'string' || secret === '')
      throw invalidSecret(place, 'is empty or no text: check how it reaches this program');
    if (secret.trim() !== secret)
      throw invalidSecret(place, 'begins or ends with white space; paste it again');
    if (secret.length < SHORTEST || secret.length > LONGEST)
      throw invalidSecret(place, `must have ${SHORTEST} to ${LONGEST} characters`);
    return new TextEncoder().encode(secret);
  });
}

function invalidSecret(place: number, problem: string): WebhookError {
  return new WebhookError(`secrets[${place}] ${problem}`, {
    code: 'SECRET_INVALID',
    outcome: 'not-done',
    next: 'fix-input',
    values: { place },
  });
}
