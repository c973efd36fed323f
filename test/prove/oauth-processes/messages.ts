// Messages between the processes of a login and the command.
import type { LoginOptions } from 'paystate/oauth';

/** Options that cross to another process. */
export interface LoginFacts
  extends Pick<LoginOptions, 'authUrl' | 'clientId' | 'redirectUri' | 'scopes' | 'attemptTimeout'> {
  /** Address of the store. */
  readonly storeUrl: string;
}

/** A request to the store; `who` names the process. */
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

/**
 * The result of a process; `unsure`: how often it was told that nobody knows if a refresh was done.
 */
export type Given =
  | { readonly token: string; readonly code?: undefined; readonly unsure: number }
  | { readonly token?: undefined; readonly code: string; readonly unsure: number };
