// Receive webhooks in SvelteKit: src/routes/hooks/+server.ts exports webhooks(inbox) as POST.
// Its build imports that file without your environment, so make the client at the first request.
// On Cloudflare the platform lets the work go on after the response.
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryInboxStore } from 'paystate/stores';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { createInbox, type Inbox } from 'paystate/webhooks';

/** The part of SvelteKit's RequestEvent that this recipe uses. */
export interface RequestEvent {
  readonly request: Request;
  readonly platform?: { readonly ctx?: { waitUntil(work: Promise<unknown>): void } } | undefined;
}

export const webhooks =
  (inbox: Inbox) =>
  ({ request, platform }: RequestEvent): Promise<Response> =>
    inbox.handle(request, platform?.ctx);

export async function example() {
  const secrets = 'the secret of the shop';
  const client = createClient(createSandbox({ clock: 'real' }).clientOptions);
  const inbox = createInbox({ client, secrets, store: memoryInboxStore(), on: {} });
  const work: Promise<unknown>[] = [];
  const ctx = { waitUntil: (promise: Promise<unknown>) => work.push(promise) };
  const request = await makeDelivery(makeEvent(), secrets);
  const { status } = await webhooks(inbox)({ request, platform: { ctx } });
  return [status, work.length];
}

if (import.meta.main) console.log(await example());
