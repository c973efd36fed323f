import { AuthenticationError } from '../errors/index.ts';
import { bearerOf, type Credential } from './credential.ts';
import { redacted } from './redact.ts';

/** The credential of one attempt. It stays in closures: no property shows it. */
export interface Bearer {
  /** The value of the header that carries it; absent without a credential. */
  header(): string | undefined;
  /** Cuts it, and a secret of the request's body, out of a text of JSON. */
  redact(json: string, body: string | undefined): string;
  /** Says that the service refused it; absent where there can be no other. */
  readonly reject: (() => void) | undefined;
}

/** Gets the credential of an attempt: at once where it is a plain text. `isRenewal`: one that was not refused yet. */
export type BearerSource = (isRenewal: boolean) => Bearer | Promise<Bearer>;

/** Makes the source of a client's credential, which keeps the text that the service refused last. */
export function bearerSource(credential: Credential | undefined): BearerSource {
  let refused: string | undefined; // a text and no promise: nothing here outlives a request
  const bearer = (token: string | undefined, reject?: () => void): Bearer => ({
    header: () => token && `Bearer ${token}`,
    redact: (json, body) => redacted(json, token, body),
    reject,
  });
  if (typeof credential !== 'function') return () => bearer(credential);
  return async (isRenewal) => {
    const token = await bearerOf(credential, refused);
    if (!isRenewal || token !== refused) return bearer(token, () => void (refused = token));
    throw new AuthenticationError('there is no other token', {
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
    });
  };
}
