// The other side: a sandbox, asked over its public face, and everything that was asked and answered.
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { type Ask, asker, BASE, type RawResponse } from '../unit/sandbox/ask.ts';
import type { Account } from './model.ts';

export const ACCOUNTS: readonly Account[] = [
  {
    handle: 'shop',
    currencies: ['EUR', 'BTC', 'USD', 'USDT', 'GBP', 'AUD'],
    home: 'EUR',
    isPrivate: false,
    canReceive: true,
    travelRule: false,
    readyAfter: 0,
    id: '',
  },
  {
    handle: 'cafe',
    currencies: ['BTC', 'USD', 'EUR'],
    home: 'USD',
    isPrivate: false,
    canReceive: true,
    travelRule: false,
    readyAfter: 0,
    id: '',
  },
  {
    handle: 'trip',
    currencies: ['GBP', 'BTC'],
    home: 'GBP',
    isPrivate: true,
    canReceive: true,
    travelRule: true,
    readyAfter: 0,
    id: '',
  },
  {
    handle: 'mute',
    currencies: ['BTC'],
    home: 'BTC',
    isPrivate: false,
    canReceive: false,
    travelRule: false,
    readyAfter: 0,
    id: '',
  },
  {
    handle: 'late',
    currencies: ['EUR', 'BTC'],
    home: 'EUR',
    isPrivate: false,
    canReceive: true,
    travelRule: false,
    readyAfter: 4_000,
    id: '',
  },
];

export const BEGINNING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shop: { EUR: '5000.00', BTC: '0.05000000', USD: '300.00', USDT: '90.500000', GBP: '20.00' },
  cafe: { BTC: '0.30000000', USD: '40.00' },
  trip: { GBP: '800.00', BTC: '0.01000000' },
  mute: { BTC: '0.00050000' },
  late: { EUR: '10.00' },
};

/** Who asks: with the account's key, with one that may do nothing, or with none. */
export type As = 'owner' | 'scopeless' | 'nobody';

export interface Request {
  readonly account: Account;
  readonly as?: As;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | undefined;
}

export class Real {
  readonly sandbox: Sandbox;
  /** `GET /v1/… 200` and the like: what was reached. */
  readonly reached = new Set<string>();
  readonly transcript: string[] = [];
  /** What work that nobody waited for was rejected with. */
  readonly failures: string[] = [];
  commands = 0;
  #asks = new Map<string, Ask>();
  #connections = new Map<string, ReturnType<Sandbox['clientOptionsFor']>>();
  #prices: { readonly step: number; readonly rates: ReadonlyMap<string, string> } = {
    step: -1,
    rates: new Map(),
  };

  constructor(seed: number, limits?: SandboxOptions['rateLimits']) {
    const accounts = ACCOUNTS.map(
      ({ handle, home, currencies, isPrivate, canReceive, travelRule, readyAfter }) => ({
        handle,
        defaultCurrency: home,
        currencies,
        isPrivate,
        canReceive,
        travelRule,
        readyAfter,
        balances: BEGINNING[handle]!,
      }),
    );
    this.sandbox = createSandbox({
      seed,
      signed: false,
      accounts,
      ...(limits && { rateLimits: limits }),
    });
  }

  /** Sends a command as somebody; the observer's requests come from elsewhere and count by themselves. */
  async send({ account, as = 'owner', method, path, body, key }: Request): Promise<RawResponse> {
    const { apiKey, fetch } = this.#connection(account.handle, as);
    const headers: Record<string, string> = {
      ...(as !== 'nobody' && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const asking: Ask = asker(this.sandbox, {
      baseUrl: BASE,
      apiKey: apiKey!,
      fetch: (input, init) => fetch!(input, { ...init, headers }),
    });
    const response = await asking(method, path, body);
    this.transcript.push(
      `${method} ${path} ${JSON.stringify(body)}\n${response.status} ${response.text}`,
    );
    this.reached.add(
      `${method} ${routeOf(path)} ${response.status}${response.status < 300 ? '' : ` ${response.word('data.code')}`}`,
    );
    return response;
  }

  /** Reads as the owner, from an address that nobody else counts. */
  async look({ handle }: Account, path: string): Promise<RawResponse> {
    let ask = this.#asks.get(handle);
    if (!ask) {
      ask = asker(
        this.sandbox,
        this.sandbox.clientOptionsFor({ account: handle, address: '203.0.113.99' }),
      );
      this.#asks.set(handle, ask);
    }
    const response = await ask('GET', path);
    this.reached.add(`GET ${routeOf(path)} ${response.status}`);
    return response;
  }

  /** What is rejected at once is thrown; what takes time goes on, and is heard of should it fail. */
  async begun(work: Promise<unknown>, takesTime: boolean): Promise<unknown> {
    if (!takesTime) return work;
    let isEarly = true;
    work.catch((thrown) => {
      if (!isEarly) this.failures.push(`${thrown as Error}`);
    });
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 30; turn++) await undefined;
    };
    await Promise.race([work, turns()]);
    isEarly = false;
    return undefined;
  }

  /** The ticker of this moment; it holds for ten seconds. */
  async rates(): Promise<ReadonlyMap<string, string>> {
    const step = Math.floor(this.sandbox.clock.now() / 10_000);
    if (step !== this.#prices.step) {
      const response = await this.look(ACCOUNTS[0]!, '/v1/rates/ticker');
      const rates = JSON.parse(response.text) as readonly {
        amount: string;
        sourceCurrency: string;
        targetCurrency: string;
      }[];
      this.#prices = {
        step,
        rates: new Map(
          rates.map(({ amount, sourceCurrency, targetCurrency }) => [
            `${sourceCurrency}/${targetCurrency}`,
            amount,
          ]),
        ),
      };
    }
    return this.#prices.rates;
  }

  #connection(handle: string, as: As): ReturnType<Sandbox['clientOptionsFor']> {
    const name = `${as} ${handle}`;
    const found =
      this.#connections.get(name) ??
      this.sandbox.clientOptionsFor({ account: handle, ...(as === 'scopeless' && { scopes: [] }) });
    this.#connections.set(name, found);
    return found;
  }
}

/** A path with its ids put back into names, for coverage. */
export const routeOf = (path: string): string =>
  path
    .replace(/\?.*$/, '')
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, '{id}')
    .replace(/(handle\/)[^/]+/, '$1{handle}')
    .replace(/(lnurl\/)[^/]+/, '$1{lnAddressOrUrl}');
