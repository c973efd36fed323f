// The Worker that sends refunds. It has no address of its own, and only the shop's Worker reaches
// it, by a binding. Its key may pay. The shop's key can't, so an attacker who breaks into the
// public Worker finds no key that sends money.
import { createClient } from 'paystate';
import type { DurableObjectContext } from 'paystate/relay';
import { durableObjectDriver } from 'paystate/stores';
import { type RefundWish, Till as Refunds } from './till.ts';

interface Env {
  readonly SERVICE: string;
  readonly PAY_KEY: string;
}

const MINUTE = 60_000;

/** The one object that sends refunds. After a crash, its alarm finishes the open ones. */
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
