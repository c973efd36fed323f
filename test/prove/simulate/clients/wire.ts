// A client whose requests and responses are noted, as they pass between it and the service.
import { type Client, createClient } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';

/** A request, and what came of it. */
export interface Sent {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Status of its response, where one came. */
  status?: number;
  until?: number;
}

export interface WiredClient {
  readonly client: Client;
  readonly sent: readonly Sent[];
}

export function openClient(sandbox: Sandbox, address: string = '203.0.113.9'): WiredClient {
  const options = sandbox.clientOptionsFor({ address });
  const { clock } = sandbox;
  const sent: Sent[] = [];
  const client = createClient({
    ...options,
    async fetch(url, init) {
      const path = new URL(`${url}`).pathname;
      const one: Sent = { at: clock.now(), method: init?.method ?? 'GET', path };
      sent.push(one);
      const response = await options.fetch(url, init);
      one.status = response.status;
      one.until = clock.now();
      return response;
    },
  });
  return { client, sent };
}
