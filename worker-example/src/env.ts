import type { ObjectNamespace, ObjectStub } from 'paystate/relay';

/** What the Worker is given: bindings, addresses, secrets. */
export interface Env {
  readonly ACCOUNT: ObjectNamespace;
  readonly ROOMS: ObjectNamespace;
  readonly DOORS: ObjectNamespace;
  readonly ASSETS: ObjectStub;
  /** Address of the payments service. */
  readonly SERVICE: string;
  /** Address of the shop's pages. */
  readonly ORIGIN: string;
  readonly API_KEY: string;
  readonly TOKEN_SECRET: string;
  readonly WEBHOOK_SECRET: string;
}

/** The one object with the API key. */
export const accountOf = ({ ACCOUNT }: Env): ObjectStub => ACCOUNT.get(ACCOUNT.idFromName('main'));

export const tokensOf = ({ TOKEN_SECRET, ORIGIN }: Env) => ({
  tokenSecret: TOKEN_SECRET,
  origin: ORIGIN,
});
