// A shop with a bank: what tests of bank methods, originators, payouts and deposits begin with.
import {
  type BankPaymentMethod,
  type BankPaymentMethodDraft,
  type Client,
  createClient,
  type PayoutOriginator,
  type PayoutOriginatorDraft,
  type TransferType,
} from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { untilApproved, untilReady } from './bank-time.ts';

export const ADDRESS = { country: 'GB', city: 'York', postCode: 'YO1 7HH', line1: '3 Stonegate' };
export const PERSON: PayoutOriginatorDraft = {
  type: 'INDIVIDUAL',
  name: 'Edith Example',
  dateOfBirth: '1979-11-30',
  address: ADDRESS,
};

const FORMS: Readonly<
  Record<TransferType, Omit<BankPaymentMethodDraft, 'beneficiaries' | 'transferType'>>
> = {
  ACH: { accountNumber: '000987654321', routingNumber: '220000000', accountType: 'CHECKING' },
  US_DOMESTIC_WIRE: { accountNumber: '000987654321', routingNumber: '220000000' },
  SEPA: { accountNumber: 'AT000000000000000000', routingNumber: 'EXAMATWWXXX' },
  FPS: { accountNumber: '12345678', routingNumber: '112233' },
  BSB: { accountNumber: '123456', routingNumber: '012345' },
};

export const methodDraft = (
  transferType: TransferType,
  more: object = {},
): BankPaymentMethodDraft => ({
  transferType,
  ...FORMS[transferType],
  beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
  ...more,
});

export interface Bank {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly run: Sandbox['run'];
  /** A bank method that is READY. */
  method(transferType?: TransferType): Promise<BankPaymentMethod>;
  /** An originator that is APPROVED. */
  originator(): Promise<PayoutOriginator>;
  /** What the account has in a currency: free, held, unsettled. */
  pots(currency: string): readonly (string | undefined)[];
  /** Types of the events so far, the oldest first, of what has this id. */
  events(entityId: string): Promise<readonly string[]>;
  /** Sums of all currencies; zeros, if no money was made or lost. */
  sums(): readonly string[];
}

export const openBank = (options: SandboxOptions = {}): Bank => {
  const sandbox = createSandbox({ signed: false, ...options });
  const client = createClient(sandbox.clientOptions);
  const { run, ledger } = sandbox;
  return {
    sandbox,
    client,
    run,
    async method(transferType = 'SEPA') {
      const { id } = await run(client.bankPaymentMethods.create(methodDraft(transferType)));
      await untilReady(sandbox);
      return run(client.bankPaymentMethods.get(id));
    },
    async originator() {
      const { id } = await run(client.payoutOriginators.create(PERSON));
      await untilApproved(sandbox);
      return run(client.payoutOriginators.get(id));
    },
    pots: (currency) =>
      ['free', 'held', 'unsettled'].map((pot) => ledger.balances()[`shop.${pot}`]?.[currency]),
    async events(entityId) {
      const all = await run(client.events.list().toArray({ limit: 200 }));
      return all.filter(({ data }) => data.entityId === entityId).map(({ eventType }) => eventType);
    },
    sums: () =>
      ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'].map((currency) =>
        ledger.total(currency).replace(/[0.]/g, ''),
      ),
  };
};

export const EVEN = ['', '', '', '', '', ''];
