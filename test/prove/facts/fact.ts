// A fact of the service's description, the world in which it is checked, and what a check says of
// it.
import type { SandboxOptions } from 'paystate/sandbox';
import type { World } from './worlds.ts';

/** The service does something else. */
export class NotSo extends Error {
  readonly expected: string;
  readonly got: string;

  constructor(expected: unknown, got: unknown) {
    super(`expected ${textOf(expected)}, got ${textOf(got)}`);
    this.expected = textOf(expected);
    this.got = textOf(got);
  }
}

const MOST_SHOWN = 300;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === undefined) return 'nothing';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Throws unless `holds`. */
export function check(holds: unknown, expected: unknown, got: unknown): asserts holds {
  if (!holds) throw new NotSo(expected, got);
}

/** Throws unless both print the same JSON. */
export function same(expected: unknown, got: unknown): void {
  check(JSON.stringify(expected) === JSON.stringify(got), expected, got);
}

/** Members of a body, by their paths. */
export type Values = Readonly<Record<string, unknown>>;

export interface Amount {
  readonly amount: string;
  readonly currency: string;
}

/** A rate, as tickers and quotes have it. */
interface Rate {
  readonly amount: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
}

/** A balance, a currency of a profile or a row of a list. */
interface Row extends Rate {
  readonly currency: string;
  readonly current: string;
  readonly pending: string;
  readonly reserved: string;
  readonly available: string;
  readonly outgoing: string;
  readonly total: string;
  readonly isDefaultCurrency: boolean;
  readonly isInvoiceable: boolean;
}

/** A transaction of an invoice. */
interface Transaction {
  readonly amountReceived: Amount;
}

/** An amount that is counted in cycles. */
interface Limited {
  readonly count?: { readonly cycles?: readonly { readonly used: number }[] };
}

/**
 * Members of what the service says, by the names and types of its description, as far as checks
 * read them. They are not checked here: a check that meets something else throws, and its fact is
 * false.
 */
export interface Thing {
  readonly id: string;
  readonly invoiceId: string;
  readonly quoteId: string;
  readonly paymentId: string;
  readonly paymentQuoteId: string;
  readonly receiveId: string;
  readonly receiveRequestId: string;
  readonly correlationId: string;
  readonly issuerId: string;
  readonly receiverId: string;
  readonly state: string;
  readonly created: string;
  readonly amount: Amount;
  readonly totalAmount: Amount;
  readonly amountReceived: Amount;
  readonly sourceAmount: Amount;
  readonly targetAmount: Amount;
  readonly reward: Amount;
  readonly conversionRate: Rate;
  readonly expiration: string;
  readonly expirationInSec: number;
  readonly type: string;
  readonly amountCredited: Amount;
  readonly p2p: { readonly payerAccountId: string };
  readonly traceId?: string;
  readonly debug?: unknown;
  readonly lnInvoice: string;
  readonly lightning: {
    readonly preImage: string;
    readonly preimage: string;
    readonly paymentHash: string;
  };
  readonly bolt11: {
    readonly invoice: string;
    readonly btcAmount: string;
    readonly paymentHash: string;
  };
  readonly onchain: { readonly address: string };
  readonly transactions: readonly Transaction[];
  readonly currencies: readonly Row[];
  readonly supportedActions: readonly string[];
  readonly deposit: Limited;
  readonly eventType: string;
  readonly webhookVersion: string;
  readonly deliverySuccess: boolean | null;
  readonly data: {
    readonly entityId: string;
    readonly receiveId: string;
    readonly changes: readonly string[];
  };
  readonly items: readonly Thing[];
  readonly count: number;
}

/** A list without an envelope. */
export type ListedRows = readonly (Row & Thing)[];

/** A refusal: the member `data` of its body. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly values?: Values;
  readonly validationErrors?: Readonly<Record<string, readonly ValidationFinding[]>>;
}

/** One thing that is wrong with a member of a request. */
export interface ValidationFinding {
  readonly code: string;
  readonly message: string;
  readonly values?: Values;
}

/** The account whose key is used; the first account where no handle is given. */
export interface Who {
  readonly account?: string;
  readonly scopes?: readonly string[];
}

/** The response of a receiver of webhooks: never, or late by this number of milliseconds. */
interface Reply {
  readonly status?: number;
  readonly late?: number;
  readonly never?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Respond = (count: number) => Reply;

/** A webhook as it arrived. */
export interface Delivery {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A receiver of webhooks, and what it got. */
export interface HookReceiver {
  readonly url: string;
  readonly got: Delivery[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: Thing;
  /** The member `data` of a refusal. */
  readonly error: Refusal | undefined;
}

/** The parts of a request in addition to method and path. */
export interface AskOptions {
  /** As JSON, or as it is where it is a text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Nobody: `null`. */
  readonly as?: Who | null;
  /** The values for `{names}` in the path. */
  readonly values?: object | undefined;
  readonly query?: string;
}

/** The same for a known request, with members of its body changed. */
export interface Changed extends AskOptions {
  readonly set?: Values;
}

/** A world with the requests and things that checks use. */
export interface Stage {
  readonly world: World;
  keyOf(who?: Who): Promise<string>;
  /** Sends `METHOD /path`. */
  ask(call: string, asked?: AskOptions): Promise<Answer>;
  /** Sends a known request. */
  request(name: string, changed?: Changed): Promise<Answer>;
  /** The same, which must succeed. */
  json(name: string, changed?: Changed): Promise<Thing>;
  /** Reads; it must succeed. */
  get<T = Thing>(path: string, asked?: AskOptions): Promise<T>;
  /** A new thing. */
  make<T = Thing>(name: string): Promise<T>;
  /** A thing that facts only read: made once a world, or once for each number. */
  thing<T = Thing>(name: string, number?: number): Promise<T>;
}

/** Something that the description says. It throws `NotSo` where the service does something else. */
export type Fact = (stage: Stage) => Promise<unknown>;

/** The way in which the facts of a section share a world. */
interface Sharing {
  /** Milliseconds between two facts. */
  readonly pause: number;
  /** These are made first. */
  readonly things: readonly string[];
  /** Options of the sandbox in process. */
  readonly options: SandboxOptions;
}

/** Facts that share a world. */
export interface Section extends Sharing {
  readonly name: string;
  readonly facts: readonly Fact[];
}

/** Makes a section of its facts. */
export const section = (
  name: string,
  facts: readonly Fact[],
  sharing: Partial<Sharing> = {},
): Section => ({ name, facts, pause: 0, things: [], options: {}, ...sharing });
