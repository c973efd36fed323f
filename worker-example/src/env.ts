import type { ObjectNamespace, ObjectStub } from 'paystate/relay';

/** What the Worker is given: bindings, addresses, secrets. */
export interface Env {
  readonly ACCOUNT: ObjectNamespace;
  readonly ROOMS: ObjectNamespace;
  readonly DOORS: ObjectNamespace;
  /** The object that pays back, in a Worker of its own. */
  readonly TILL: ObjectNamespace;
  readonly ASSETS: ObjectStub;
  /** Address of the payments service. */
  readonly SERVICE: string;
  /** Address of the shop's pages. */
  readonly ORIGIN: string;
  /** May make and read invoices, and needs no right to pay. */
  readonly API_KEY: string;
  readonly TOKEN_SECRET: string;
  readonly WEBHOOK_SECRET: string;
  /** Opens the back office; without it, that is closed. */
  readonly OFFICE_SECRET: string;
}

/** The one object with the API key; the shop's books are in its database too. */
export const accountOf = ({ ACCOUNT }: Env): ObjectStub => ACCOUNT.get(ACCOUNT.idFromName('main'));

export const tokensOf = ({ TOKEN_SECRET, ORIGIN }: Env) => ({
  tokenSecret: TOKEN_SECRET,
  origin: ORIGIN,
});
