// A world with an account that has some of everything, and the requests that codes need again and again: in this process,
// or behind a server's address.
import type { OutsideDraft, SandboxAccount, StateRule } from 'paystate/sandbox';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { type Ask, asker, euros, type RawResponse, readResponse } from '../unit/sandbox/ask.ts';

export { euros };

/** The accounts of a world; the first one asks. */
export interface WorldOptions {
  readonly accounts?: readonly SandboxAccount[] | undefined;
}

/** What happens outside of the service. */
interface Outside {
  /** Resolves when it is paid. */
  pay(target: string): Promise<unknown>;
  /** Resolves while it is under way; it takes a minute. */
  beginPayment(target: string): Promise<unknown>;
  reverse(invoiceId: string): Promise<unknown>;
  createBolt11(draft: OutsideDraft): Promise<string>;
  createAddress(): Promise<string>;
  fault(rule: StateRule): Promise<unknown>;
  advance(duration: number): Promise<unknown>;
}

/** Who asks, and what happens outside. */
interface Parts {
  readonly outside: Outside;
  readonly ask: Ask;
  /** Without a key. */
  readonly anonymous: Ask;
  /** With one idempotency key for all. */
  readonly keyed: Ask;
  /** With a key that may do nothing. */
  readonly scopeless: Ask;
}

export interface World extends Parts {
  /** Makes a bank method that is verified; its id. */
  bankMethod(transferType: string): Promise<string>;
  /** Executes the payment quote that an answer holds. */
  execute(quote: RawResponse): Promise<RawResponse>;
}

const BALANCES = { BTC: '1', USD: '1000', EUR: '1000', GBP: '1000', AUD: '1000' };
const KEY = '6f1c1f8e-4b0a-4c55-9a3e-0d1b2c3d4e5f';

export const accountsOf = ({
  accounts = [{ handle: 'shop', balances: BALANCES }],
}: WorldOptions): readonly SandboxAccount[] => accounts;

const worldOf = (parts: Parts): World => ({
  ...parts,
  async bankMethod(transferType) {
    const { word } = await parts.ask('POST', '/v1/payment-methods/bank', bank(transferType));
    await parts.outside.advance(3_000);
    return word('id');
  },
  execute: (quote) =>
    parts.ask('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`),
});

/** A world in this process. */
export const openCodes = (
  options: WorldOptions = {},
): World & {
  readonly sandbox: Sandbox;
} => {
  const sandbox = createSandbox({ signed: false, accounts: accountsOf(options) });
  const { payer } = sandbox;
  const { fetch, ...connection } = sandbox.clientOptionsFor();
  const keyed: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, 'idempotency-key': KEY } });
  const world = worldOf({
    ask: asker(sandbox),
    anonymous: async (method, path) => readResponse(await sandbox.fetch(path, { method })),
    keyed: asker(sandbox, { ...connection, fetch: keyed }),
    scopeless: asker(sandbox, sandbox.clientOptionsFor({ scopes: [] })),
    outside: {
      pay: (target) => payer.pay(target),
      beginPayment: async (target) => void payer.pay(target, { pendingFor: 60_000 }),
      reverse: (invoiceId) => payer.reverse(invoiceId),
      createBolt11: async (draft) => payer.createBolt11(draft),
      createAddress: async () => payer.createAddress(),
      fault: async (rule) => sandbox.fault(rule),
      advance: (duration) => sandbox.advance(duration),
    },
  });
  return { ...world, sandbox };
};

/** A world behind an address, with nothing but HTTP; what was in it is erased. */
export const openServedCodes = async (url: string): Promise<World> => {
  const control = async (name: string, body: object = {}): Promise<RawResponse> => {
    const headers = { 'x-paystate-control': '1', 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await readResponse(await fetch(`${url}/_sandbox/${name}`, init));
    if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
    return answer;
  };
  await control('erase');
  const [key, scopeless] = [await control('keys'), await control('keys', { scopes: [] })];
  const askWith =
    (headers: object): Ask =>
    async (method, path, body) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const sent = text === undefined ? {} : { body: text };
      return readResponse(
        await fetch(url + path, { method, headers: { ...headers, ...type }, ...sent }),
      );
    };
  const authorization = `Bearer ${key.word('apiKey')}`;
  return worldOf({
    ask: askWith({ authorization }),
    anonymous: askWith({}),
    keyed: askWith({ authorization, 'idempotency-key': KEY }),
    scopeless: askWith({ authorization: `Bearer ${scopeless.word('apiKey')}` }),
    outside: {
      pay: (target) => control('pay', { target }),
      beginPayment: (target) => control('pay', { target, pendingFor: 60_000, wait: false }),
      reverse: (invoiceId) => control('reverse', { invoiceId }),
      createBolt11: async (draft) => (await control('bolt11', draft)).word('lnInvoice'),
      createAddress: async () => (await control('address')).word('btcAddress'),
      fault: ({ delay, ...rule }) =>
        control('faults', { ...rule, delay: delay === Infinity ? 'never' : delay }),
      advance: (duration) => control('advance', { duration }),
    },
  });
};

const NUMBERS: Readonly<Record<string, object>> = {
  ACH: { accountNumber: '123456789', routingNumber: '021000021', accountType: 'CHECKING' },
  US_DOMESTIC_WIRE: { accountNumber: '123456789', routingNumber: '021000021' },
  SEPA: { accountNumber: 'DE89370400440532013000' },
};

/** A bank method's draft. */
export const bank = (transferType: string, more: object = {}): object => ({
  transferType,
  ...NUMBERS[transferType],
  beneficiaries: [{ type: 'INDIVIDUAL', name: 'Ada' }],
  ...more,
});

/** Quotes what somebody outside asks for. */
export const lightning = async (
  { outside, ask }: World,
  draft: OutsideDraft,
): Promise<RawResponse> =>
  ask('POST', '/v1/payment-quotes/lightning', { lnInvoice: await outside.createBolt11(draft) });

/** Executes the exchange that an answer holds. */
export const exchange = ({ ask }: World, quote: RawResponse): Promise<RawResponse> =>
  ask('PATCH', `/v1/currency-exchange-quotes/${quote.word('id')}/execute`);
