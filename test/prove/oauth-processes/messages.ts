// What the processes of a login and the command say to each other.
import type { LoginOptions } from 'paystate/oauth';

/** Options that cross to another process. */
export interface LoginFacts
  extends Pick<LoginOptions, 'authUrl' | 'clientId' | 'redirectUri' | 'scopes' | 'attemptTimeout'> {
  /** Where the store is served. */
  readonly storeUrl: string;
}

/** What the store is asked; `who` names the process. */
export type StoreCall = { readonly who: number } & (
  | { readonly operation: 'get'; readonly key: string }
  | { readonly operation: 'put'; readonly key: string; readonly value: unknown }
  | {
      readonly operation: 'compareAndSet';
      readonly key: string;
      readonly version: number;
      readonly value: unknown;
    }
);

export type Order =
  | {
      readonly order: 'make';
      readonly login: LoginFacts;
      readonly who: number;
      /** Milliseconds by which its clock is wrong. */
      readonly skew: number;
    }
  | { readonly order: 'ask'; readonly refused?: string | undefined; readonly delay: number };

/** What a process was given; `unsure`: how often it was told that nobody knows if a refresh was done. */
export type Given =
  | { readonly token: string; readonly code?: undefined; readonly unsure: number }
  | { readonly token?: undefined; readonly code: string; readonly unsure: number };
