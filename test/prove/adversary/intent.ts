// One intent: what somebody wants to have done once, how it is played, and what was noted meanwhile.
import type { Sandbox, SandboxClient } from 'paystate/sandbox';
import type { Client } from 'paystate';
import type { Store } from 'paystate/stores';
import type { Chance } from '../shared/chance.ts';
import type { User } from './user.ts';
import type { Answer, ServiceJson, WireRequest } from './wire.ts';

/** The user's belief in the end. `stuck`: it has not ended and gives no reason. */
export interface End {
  readonly said: 'done' | 'failed' | 'not-done' | 'unknown' | 'stuck';
  readonly id?: string | undefined;
  readonly state?: string | undefined;
}

/** Plays a user until the end. */
export type Play = (user: User) => Promise<End>;

/** A process that uses the client; a dead one hears nothing any more. */
export interface Process {
  readonly number: number;
  isDead: boolean;
}

/** Some users share one process and its client. */
export interface Shared {
  readonly process: Process;
  readonly client: Client;
}

/** The outcome of a call of the SDK. */
export type Outcome =
  | { readonly kind: 'resolved'; readonly value: unknown }
  | { readonly kind: 'rejected'; readonly error: unknown };

/** A call of the SDK, as the user saw it. */
export interface CallRecord {
  readonly name: string;
  /** The name of what must be done once: an id, a key or a correlationId. */
  readonly about: string | undefined;
  readonly process: Process;
  /** Requests that had been sent before it. */
  readonly from: number;
  readonly at: number;
  /** Requests that had been sent when it ended. */
  to?: number;
  until?: number;
  outcome?: Outcome;
  /** Its process ended in the middle of it. */
  isCut?: true;
}

/** One arrival of a request at the service. */
export interface Copy {
  readonly at: number;
  readonly status: number;
  readonly code: string | undefined;
  readonly json: ServiceJson | undefined;
}

/** A request that was sent, and all that became of it. */
export interface Sent {
  readonly index: number;
  readonly at: number;
  readonly request: WireRequest;
  readonly intent: Intent;
  readonly process: Process;
  readonly copies: Copy[];
  readonly fault: string;
  /** `nothing`: the connection was lost. */
  heard?: Answer | 'nothing';
}

export interface Intent {
  readonly n: number;
  readonly way: string;
  /** Name of its world. */
  readonly name: string;
  readonly chance: Chance;
  readonly connection: SandboxClient;
  /** Handle of the account. */
  readonly handle: string;
  readonly store: Store;
  /** The invoice whose payment it gives back. */
  readonly invoice: string | undefined;
  readonly play: Play;
  readonly calls: CallRecord[];
  readonly notes: { readonly at: number; readonly text: string }[];
  /** Thrown values that are no PaystateError. */
  readonly strays: unknown[];
  requests: number;
  /** The user remembers doubt without the help of the SDK. */
  readonly isCareful: boolean;
  readonly shared: Shared | undefined;
  /** Probability that the process ends during a call. */
  readonly crashes: number;
  /** Probability that no token can be had. */
  readonly outages: number;
  end?: End;
}

/** The facts about an intent that the ways of moving money are given. */
export interface Parts {
  readonly sandbox: Sandbox;
  readonly n: number;
  readonly chance: Chance;
  readonly methodId: string;
  readonly invoices: readonly string[];
  readonly newId: () => string;
}
