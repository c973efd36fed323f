// A service, a client and a network that does what a scene says, request by request.
import {
  type BankPaymentMethodDraft,
  type Client,
  type ClientOptions,
  createClient,
  type Fetch,
  isPaystateError,
} from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { requestOf, type WireRequest } from './wire.ts';
import type { Balances } from './ways.ts';
import type { CheckOrder } from './world.ts';

const PLENTY: Balances = { BTC: '1', USD: '10000', EUR: '10000' };
const SEPA: BankPaymentMethodDraft = {
  transferType: 'SEPA',
  accountNumber: 'AT000000000000000000',
  routingNumber: 'EXAMATWWXXX',
  beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
};
const ACH: BankPaymentMethodDraft = {
  ...SEPA,
  transferType: 'ACH',
  accountNumber: '000123456',
  routingNumber: '000000000',
  accountType: 'CHECKING',
  bankName: 'Example Bank',
};

type Send = () => Promise<Response>;
/** The network's treatment of a request that `send` brings. */
export type Act = (send: Send) => Response | Promise<Response>;

export const lostAfter: Act = async (send) => {
  await send();
  throw new TypeError('the connection was lost');
};
export const lostBefore: Act = () => {
  throw new TypeError('the connection was lost');
};
export const twice: Act = async (send) => {
  await send();
  return send();
};
export const answered =
  (body: unknown, status = 200, type = 'application/json'): Act =>
  () =>
    new Response(
      body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      { status, headers: { 'content-type': type } },
    );
export const refused = (status: number, code: string): Act =>
  answered({ data: { status, code, message: code } }, status);
/** It is done, and something else is said of it. */
export const doneBut =
  (answer: Act): Act =>
  async (send) => {
    await send();
    return answer(send);
  };
export const html = (status = 200): Act =>
  answered('<!doctype html><h1>Welcome</h1>', status, 'text/html');

/** The result of a call, or its error. */
export interface Heard<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** Returns the outcome that the error of a call names; `undefined` where there is none. */
export const outcomeOf = ({ error }: Heard<unknown>): string | undefined =>
  isPaystateError(error) ? error.outcome : undefined;

/** Writes the result of a call in one line. */
function saidOf({ value, error }: Heard<unknown>): string {
  if (error === undefined)
    return `resolved${value === undefined ? '' : ` ${JSON.stringify(value).slice(0, 110)}`}`;
  if (!isPaystateError(error)) return `threw ${error}`;
  const values = error.values ? `, values ${JSON.stringify(error.values).slice(0, 70)}` : '';
  return `${error.outcome}, ${error.code}, next ${error.next}${values}`;
}

export interface StageOptions extends SandboxOptions {
  /** The service's first check before it executes a quote. */
  readonly firstCheck?: CheckOrder;
  readonly balances?: Balances;
}

/** A stage of its own for each scene. */
export class Stage {
  readonly sandbox: Sandbox;
  readonly client: Client;
  /** Requests that were sent. */
  readonly sent: WireRequest[] = [];
  /** The lines about each call. */
  readonly said: string[] = [];
  readonly #script: { readonly match: string; readonly act: Act }[] = [];
  readonly #methods = new Map<string, Promise<string>>();

  constructor({ firstCheck = 'processed', balances = PLENTY, ...options }: StageOptions = {}) {
    this.sandbox = createSandbox({
      seed: 7,
      signed: false,
      assume: { 'payments.checks': firstCheck },
      accounts: [{ handle: 'shop', balances }],
      ...options,
    });
    this.client = this.newClient();
  }

  readonly #fetch: Fetch = async (input, init) => {
    const request = requestOf(input, init);
    this.sent.push(request);
    const send = (): Promise<Response> => this.sandbox.fetch(input, { ...init, signal: null });
    const next = this.#script.findIndex(({ match }) => request.kind.includes(match));
    return next < 0 ? send() : this.#script.splice(next, 1)[0]!.act(send);
  };

  /** Says what happens to the next requests whose kind contains `match`. */
  after(match: string, ...acts: readonly Act[]): void {
    for (const act of acts) this.#script.push({ match, act });
  }

  newClient(more: Partial<ClientOptions> = {}): Client {
    return createClient({ ...this.sandbox.clientOptions, fetch: this.#fetch, ...more });
  }

  /** Runs a call and notes what was said of it. */
  async hear<T>(name: string, call: () => Promise<T>): Promise<Heard<T>> {
    const heard = await this.run(
      Promise.resolve()
        .then(call)
        .then(
          (value): Heard<T> => ({ value }),
          (error: unknown): Heard<T> => ({ error }),
        ),
    );
    this.said.push(`${name}: ${saidOf(heard)}`);
    return heard;
  }

  /** Counts the movements of money that were not given back. */
  moved(): number {
    const { postings } = this.sandbox.ledger;
    const last = new Map(postings.map(({ entityId, why }) => [entityId, why]));
    return [...last.values()].filter((why) =>
      /^(payment|exchange|payout|deposit) (?!FAILED|REVERSED)/.test(why),
    ).length;
  }

  /** The bank method of this kind, made when it is first asked for. */
  methodOf(kind: 'ACH' | 'SEPA'): Promise<string> {
    const made = this.#methods.get(kind) ?? this.#makeMethod(kind);
    this.#methods.set(kind, made);
    return made;
  }

  async #makeMethod(kind: 'ACH' | 'SEPA'): Promise<string> {
    const draft = kind === 'ACH' ? ACH : SEPA;
    const { id } = await this.run(this.client.bankPaymentMethods.create(draft));
    await this.sandbox.advance(5_000);
    return id;
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.sandbox.run(promise);
  }
}

/** A scene: what it played on, and if the SDK said what it must. */
export type Scene = () => Promise<{ readonly stage: Stage; readonly isRight: boolean }>;
export type Scenes = Readonly<Record<string, Scene>>;
