// Somebody who receives webhooks: keeps what came and when, and answers as told.
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { type Ask, asker } from './ask.ts';

export const SECRET = 'a-secret-of-30-characters-long';

export interface Got {
  readonly at: number;
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly id: string;
  readonly eventType: string;
}

export type Answering = (got: Got, count: number) => number | Promise<number>;

export interface Shop {
  readonly sandbox: Sandbox;
  readonly ask: Ask;
  readonly got: readonly Got[];
  /** Milliseconds between the first request and each. */
  offsets(): readonly number[];
}

export const draft = (more: object = {}): object => ({
  webhookUrl: 'https://shop.example/hooks',
  webhookVersion: 'v1',
  secret: SECRET,
  enabled: true,
  eventTypes: ['invoice.created', 'invoice.updated'],
  ...more,
});

/** A sandbox with one account, whose webhooks go to `answer`. */
export const openShop = (answer: Answering = () => 204, options: SandboxOptions = {}): Shop => {
  const got: Got[] = [];
  let calls = 0;
  const deliver = async (request: Request): Promise<Response> => {
    const at = sandbox.clock.now();
    const place = calls++; // several arrive at once, and runtimes do not read their bodies in one order
    const body = await sandbox.clock.external(request.text());
    const { id, eventType } = JSON.parse(body) as { id: string; eventType: string };
    const entry = {
      at,
      url: request.url,
      method: request.method,
      headers: request.headers,
      body,
      id,
      eventType,
    };
    got[place] = entry;
    return new Response(null, { status: await answer(entry, place + 1) });
  };
  const sandbox = createSandbox({ deliver, ...options });
  return { sandbox, ask: asker(sandbox), got, offsets: () => got.map(({ at }) => at - got[0]!.at) };
};

/** The shop subscribes; returns the subscription's id. */
export const subscribe = async ({ ask }: Shop, more: object = {}): Promise<string> =>
  (await ask('POST', '/v1/subscriptions', draft(more))).word('id');

/** What the feed says of the deliveries of all events, the oldest event first. */
export const successes = async ({ ask }: Shop): Promise<readonly unknown[]> => {
  const { at } = await ask('GET', '/v1/events?$orderby=created%20asc&$top=100');
  return (at('items') as readonly { deliverySuccess: unknown }[]).map(
    ({ deliverySuccess }) => deliverySuccess,
  );
};

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));

/** Whether a signature is that of the body by the platform's own cryptography. */
export const isSigned = async (
  { body, headers }: Got,
  secret: string = SECRET,
): Promise<boolean> => {
  const utf8 = new TextEncoder();
  const key = await crypto.subtle.importKey(
    'raw',
    utf8.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  return crypto.subtle.verify(
    'HMAC',
    key,
    bytesOf(headers.get('x-webhook-signature') ?? ''),
    utf8.encode(body),
  );
};
