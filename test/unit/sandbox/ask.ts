// Speaks plain HTTP to a sandbox, with nothing of the client in between.
import type { ClientOptions } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';

export const BASE = 'https://sandbox.invalid';

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What stands at a path such as `data.code` or `items.0.state`. */
  at(path: string): unknown;
  /** The text at a path. */
  word(path: string): string;
}

const valueAt = (json: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name],
      json,
    );

export const readResponse = async (response: Response): Promise<RawResponse> => {
  const text = await response.text();
  const json: unknown = /^[{[]/.test(text) ? JSON.parse(text) : undefined;
  const at = (path: string): unknown => valueAt(json, path);
  return {
    status: response.status,
    headers: response.headers,
    text,
    at,
    word: (path) => at(path) as string,
  };
};

export type Ask = (method: string, path: string, body?: unknown) => Promise<RawResponse>;

/** Asks as the owner of a connection; a body that is no text travels as JSON. */
export const asker =
  (sandbox: Sandbox, { apiKey, fetch }: ClientOptions = sandbox.clientOptions): Ask =>
  async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent =
      body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const send = fetch as Sandbox['fetch'];
    return readResponse(await send(new URL(path, BASE).href, { method, headers, ...sent }));
  };

/** `?$filter=…` and the like, encoded. */
export const query = (parameters: Readonly<Record<string, string | number>>): string =>
  `?${Object.entries(parameters)
    .map(([name, value]) => `$${name}=${encodeURIComponent(value)}`)
    .join('&')}`;

export const euros = (amount: string): { amount: { amount: string; currency: string } } => ({
  amount: { amount, currency: 'EUR' },
});

/** Creates an invoice and returns its id. */
export const newInvoice = async (ask: Ask, draft: object = {}): Promise<string> =>
  (await ask('POST', '/v1/invoices', { ...euros('12.50'), ...draft })).word('invoiceId');

/** The log without what answers rest on, which no client sees, and which changes with every label. */
export const logged = ({ log }: Sandbox): readonly object[] =>
  log.map(({ behaviours: _behaviours, ...entry }) => entry);

/** What a promise was rejected with. */
export const failure = async (
  promise: Promise<unknown>,
): Promise<{ readonly code?: string; readonly name?: string; readonly message: string }> => {
  try {
    await promise;
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error('it was not rejected');
};
