import { WebhookError } from '../core/errors/index.ts';
import { hexOf, hmacOf, systemBytes } from '../core/platform.ts';

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

/**
 * Signs a body as the service does. Resolves to the text of the header `X-Webhook-Signature`, in
 * upper case.
 *
 * @param body the bytes to sign, or their text
 * @param secret of the subscription, 10 to 50 characters
 * @throws WebhookError `SECRET_INVALID`
 * @example
 * const headers = { 'X-Webhook-Signature': await signWebhook(body, secret) };
 */
export async function signWebhook(body: string | Uint8Array, secret: string): Promise<string> {
  const [key] = keysOf(secret) as [Uint8Array];
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return hexOf(await hmacOf(key, bytes)).toUpperCase();
}

function invalidSecret(place: number, problem: string): WebhookError {
  return new WebhookError(`secrets[${place}] ${problem}`, {
    code: 'SECRET_INVALID',
    outcome: 'not-done',
    next: 'fix-input',
    values: { place },
  });
}
