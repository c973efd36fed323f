// A shop with a bank and a journal: what tests of exchanges, payouts and deposits begin with.
import { type Client, createClient, type RequestView } from 'paystate';
import {
  deposit,
  type DepositFlowOptions,
  exchange,
  type ExchangeOptions,
  payOut,
  type PayOutOptions,
} from 'paystate/flows';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { methodDraft } from '../bank/bank.ts';
import { movedOf } from './pay-lives.ts';
import { untilReady } from '../bank/bank-time.ts';

export type Wire = (
  url: string,
  method: string,
  send: () => Promise<Response>,
) => Promise<Response>;

export const openDesk = (
  world: SandboxOptions = {},
  wire: Wire = (_url, _method, send) => send(),
) => {
  const sandbox = createSandbox({ signed: false, ...world });
  const requests: RequestView[] = [];
  const base = sandbox.clientOptions;
  const fetch: typeof base.fetch = (url, init) =>
    wire(String(url), init?.method ?? 'GET', () => base.fetch(url, init));
  const client = createClient({
    ...base,
    fetch,
    onRequest: (view) => void requests.push(view),
  });
  const journal = memoryStore();
  return {
    sandbox,
    client,
    journal,
    /** For clients of other processes at the same desk. */
    fetch,
    requests,
    /** How often this was asked for, by its end. */
    sent: (method: string, end: string) =>
      requests.filter((one) => one.method === method && one.path.endsWith(end)).length,
    exchange: (options: Partial<ExchangeOptions> = {}) =>
      exchange(client, { ...EXCHANGE, journal, ...options }),
    payOut: (bankPaymentMethodId: string, options: Partial<PayOutOptions> = {}) =>
      payOut(client, { ...SALARY, bankPaymentMethodId, journal, ...options }),
    deposit: (bankPaymentMethodId: string, options: Partial<DepositFlowOptions> = {}) =>
      deposit(client, { ...TOP_UP, bankPaymentMethodId, journal, ...options }),
    method: () => readyMethod(sandbox, client),
    /** Things of this kind that took money and did not give it back, by the books. */
    moved: (kind: 'exchange' | 'payout' | 'deposit') => movedOf(sandbox, kind),
  };
};

/**
 * A desk at which the first POST or PATCH whose address ends so is refused, while a copy of it reaches the service five
 * seconds later.
 */
export const lateCopyDesk = (end: string, code: string): Desk => {
  let isFirst = true;
  const desk = openDesk({}, async (url, method, send) => {
    if (method === 'GET' || !url.endsWith(end) || !isFirst) return send();
    isFirst = false;
    void desk.sandbox.clock.wait(5_000).then(send);
    return new Response(JSON.stringify({ data: { status: 422, code, message: '' } }), {
      status: 422,
    });
  });
  return desk;
};

export type Desk = ReturnType<typeof openDesk>;

const EXCHANGE = {
  intent: 'a',
  sell: 'EUR',
  buy: 'USD',
  amount: { amount: '100.00', currency: 'EUR' },
} as const;
const SALARY = { intent: 'a', amount: '250.00', reference: 'SALARY', maxFee: 'any' } as const;
const TOP_UP = { intent: 'a', amount: '500.00', maxFee: 'any' } as const;

/** A bank account in EUR that is READY. */
export async function readyMethod(sandbox: Sandbox, client: Client): Promise<string> {
  const { id } = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
  await untilReady(sandbox);
  return id;
}

export const unreachable = (): Promise<Response> => Promise.reject(new TypeError('lost'));
