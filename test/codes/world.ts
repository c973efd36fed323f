// A world with an account that has some of everything, and the requests that codes need again and again.
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { type Ask, asker, euros, type RawResponse, readResponse } from '../unit/sandbox/ask.ts';

export { euros };

export type WorldOptions = SandboxOptions;

export interface World {
  readonly sandbox: Sandbox;
  readonly ask: Ask;
  /** Without a key. */
  readonly anonymous: Ask;
  /** Makes a bank method that is verified; its id. */
  bankMethod(transferType: string): Promise<string>;
  /** Executes the payment quote that an answer holds. */
  execute(quote: RawResponse): Promise<RawResponse>;
}

const BALANCES = { BTC: '1', USD: '1000', EUR: '1000', GBP: '1000', AUD: '1000' };

export const openCodes = (options: WorldOptions = {}): World => {
  const sandbox = createSandbox({
    signed: false,
    accounts: [{ handle: 'shop', balances: BALANCES }],
    ...options,
  });
  const ask = asker(sandbox);
  return {
    sandbox,
    ask,
    anonymous: async (method, path) => readResponse(await sandbox.fetch(path, { method })),
    async bankMethod(transferType) {
      const { word } = await ask('POST', '/v1/payment-methods/bank', bank(transferType));
      await sandbox.advance(3_000);
      return word('id');
    },
    execute: (quote) => ask('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`),
  };
};

const KEY = '6f1c1f8e-4b0a-4c55-9a3e-0d1b2c3d4e5f';

/** Asks with one idempotency key, or with a key that may do nothing. */
export const by = ({ sandbox }: World, how: 'key' | 'scopeless'): Ask => {
  const connection = sandbox.clientOptionsFor(how === 'scopeless' ? { scopes: [] } : {});
  const fetch: NonNullable<typeof connection.fetch> = (input, init) =>
    connection.fetch!(input, { ...init, headers: { ...init?.headers, 'idempotency-key': KEY } });
  return asker(sandbox, how === 'key' ? { ...connection, fetch } : connection);
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
export const lightning = (
  { sandbox, ask }: World,
  draft: Parameters<Sandbox['payer']['createBolt11']>[0],
): Promise<RawResponse> =>
  ask('POST', '/v1/payment-quotes/lightning', { lnInvoice: sandbox.payer.createBolt11(draft) });

/** Executes the exchange that an answer holds. */
export const exchange = ({ ask }: World, quote: RawResponse): Promise<RawResponse> =>
  ask('PATCH', `/v1/currency-exchange-quotes/${quote.word('id')}/execute`);
