// The Worker that pays back. It has no address of its own: only the shop's Worker reaches it, by
// its binding. Its key may pay, and the shop's key need not: whoever breaks into the Worker that
// strangers talk to finds no key that sends money.
import { createClient } from 'paystate';
import type { DurableObjectContext } from 'paystate/relay';
import { durableObjectDriver } from 'paystate/stores';
import { type RefundWish, Till as Refunds } from './till.ts';

interface Env {
  readonly SERVICE: string;
  /** May read invoices and pay. */
  readonly PAY_KEY: string;
}

const MINUTE = 60_000;

/** The one object that pays back. Its alarm takes up what a crash has left open. */
export class Till {
  readonly #storage: DurableObjectContext['storage'];
  readonly #refunds: Refunds;

  constructor({ storage }: DurableObjectContext, env: Env) {
    this.#storage = storage;
    const client = createClient({ baseUrl: env.SERVICE, apiKey: env.PAY_KEY });
    this.#refunds = new Refunds({ driver: durableObjectDriver(storage), client, isAlone: true });
  }

  async fetch(request: Request): Promise<Response> {
    const wish = (await request.json()) as RefundWish;
    await this.#storage.setAlarm(Date.now() + MINUTE); // before the first byte is sent
    const { phase, note } = await this.#refunds.refund(wish);
    return Response.json({ phase, note });
  }

  async alarm(): Promise<void> {
    if (await this.#refunds.work()) await this.#storage.setAlarm(Date.now() + MINUTE);
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) };
