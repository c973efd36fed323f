import {
  createClient,
  type Invoice,
  type InvoiceDraft,
  type InvoiceQuote,
  isPaystateError,
} from 'paystate';
import { createRelay, type Relay, type RelayOptions } from 'paystate/relay';
import { createSandbox, type Sandbox } from 'paystate/sandbox';

export const ORIGIN = 'https://shop.example';
export const SECRET = 'a secret for the tokens of tests, long enough';

/** Ids that would be another path, another segment or no text, if anybody believed them. */
export const AWKWARD: readonly string[] = [
  '',
  '.',
  '..',
  '../balances',
  '..%2fbalances',
  '%2e%2e',
  '%2e%2e/balances',
  '%2E%2E%2Fbalances',
  '..\\balances',
  '..%5cbalances',
  'a/b',
  'a%2fb',
  '/',
  '//evil.example/x',
  ' ',
  '%20',
  'a b',
  'a%00b',
  'a\u0000b',
  'a%0d%0ab',
  'a\r\nb',
  'a\tb',
  'a?b',
  'a%3fb',
  'a#b',
  'a%23b',
  'a;b',
  'a:b',
  '@evil.example',
  'é',
  '\u202e',
  '\ud800',
  '%',
  '%zz',
  '%c0%ae%c0%ae',
  'x'.repeat(65),
];

/** A call that an object was asked. */
interface Asked {
  readonly object: string;
  readonly call: string;
  readonly body: Body;
}

/** What calls say, all of them together. */
interface Body {
  readonly invoiceId: string;
  readonly orderId: string;
  readonly hash: string;
  readonly draft: InvoiceDraft;
  readonly until: number;
  readonly sub?: string;
}

/** What the relay answers, all of it together. */
interface Said extends Invoice, InvoiceQuote {
  readonly token: string;
  readonly data: { readonly code: string };
}

export interface RelayShop {
  readonly sandbox: Sandbox;
  readonly relay: Relay;
  readonly asked: Asked[];
  /** The objects answer so, in place of the service. */
  answer: ((asked: Asked) => Response | undefined) | undefined;
  invoice(): Promise<Invoice>;
  /** The same relay with other options. */
  relayWith(options: Partial<RelayOptions>): Relay;
}

/** Opens a relay whose objects are functions: they ask the sandbox, and write down what they were asked. */
export function openRelay(): RelayShop {
  const sandbox = createSandbox({ signed: false });
  const client = createClient(sandbox.clientOptions);
  const asked: Asked[] = [];
  const orders = new Map<string, Pick<Body, 'hash' | 'draft'>>();

  const calls: Record<string, (body: Body) => unknown> = {
    read: ({ invoiceId }) => sandbox.run(client.invoices.get(invoiceId)),
    quote: ({ invoiceId }) => sandbox.run(client.invoices.quote(invoiceId)),
    'create-order'({ orderId, ...order }) {
      orders.set(orderId, order);
      return { until: order.until };
    },
    async 'open-order'({ orderId, hash }) {
      const order = orders.get(orderId);
      if (order?.hash !== hash) return undefined;
      const { invoice } = await sandbox.run(
        client.invoices.ensure({ ...order!.draft, correlationId: orderId }),
      );
      return { invoiceId: invoice.invoiceId };
    },
    live: () => ({ opened: true }),
  };

  async function answer(
    object: string,
    input: string | Request,
    init: RequestInit = {},
  ): Promise<Response> {
    const call = new URL(input as string).pathname.slice(1);
    const claims = new Headers(init.headers).get('paystate-claims');
    const one = { object, call, body: JSON.parse((init.body as string) ?? claims) };
    asked.push(one);
    const given = shop.answer?.(one);
    if (given) return given;
    try {
      const value = await calls[call]!(one.body);
      return call === 'open-order' && !value
        ? Response.json({ status: 401, code: 'UNAUTHORIZED' }, { status: 401 })
        : Response.json(value ?? {});
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      return Response.json(
        { status: thrown.status, code: thrown.code },
        { status: thrown.status ?? 503 },
      );
    }
  }

  const rooms = {
    idFromName: (name: string) => name,
    get: (id: unknown) => ({
      fetch: (input: string | Request, init?: RequestInit) => answer(id as string, input, init),
    }),
  };
  const options: RelayOptions = {
    tokenSecret: SECRET,
    origin: ORIGIN,
    clock: sandbox.clock,
    rooms,
    account: { fetch: (input, init) => answer('account', input, init) },
  };
  const shop: RelayShop = {
    sandbox,
    asked,
    answer: undefined,
    relay: createRelay(options),
    relayWith: (others) => createRelay({ ...options, ...others }),
    invoice: () =>
      sandbox.run(
        client.invoices.create({
          amount: { amount: '12.50', currency: 'EUR' },
          description: 'A shirt',
        }),
      ),
  };
  return shop;
}

/** A request as a Worker gets it: browsers let no page set these headers, so it is made by hand. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Request {
  return {
    method,
    url: `${ORIGIN}${path}`,
    headers: new Headers(headers),
    text: async () => body,
  } as unknown as Request;
}

/** What a page of the shop sends. */
export function fromPage(
  token: string,
  method = 'GET',
  path = '',
  headers: Record<string, string> = {},
): Request {
  return request(method, path, { origin: ORIGIN, authorization: `Bearer ${token}`, ...headers });
}

/** Status and code of an answer. */
export async function outcome(answer: Promise<Response>): Promise<string> {
  const { status, body } = await read(answer);
  return `${status} ${body?.data?.code ?? ''}`.trim();
}

export async function read(
  answer: Promise<Response>,
): Promise<{ status: number; headers: Headers; body: Said }> {
  const response = await answer;
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
