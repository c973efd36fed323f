// A receiver of webhooks as a shop may write it, right or with one mistake of those that are made.
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import type { TortureOptions, WebhookHandler } from 'paystate/testing';
import { verifyWebhook } from 'paystate/webhooks';

export type Flaw =
  | 'check not awaited'
  | 'body parsed first'
  | 'no dedupe'
  | 'answers after the work'
  | 'trusts the body'
  | '410 on an error'
  | 'slow'
  | 'in memory only';

export const SECRET = 'a secret of the receivers under trial';

interface Delivered {
  readonly id: string;
  readonly data?: { readonly entityId?: string };
}

/** What outlives the process. */
interface Storage {
  readonly open: Map<string, string>;
  readonly done: Set<string>;
}

export interface Receiver {
  readonly handle: WebhookHandler;
  readonly options: TortureOptions;
  readonly run: Sandbox['run'];
}

export function receiverWith(flaw?: Flaw, time: 'virtual' | 'real' = 'virtual'): Receiver {
  const { clock, run } = createSandbox({ clock: time });
  const paid = new Set<string>();
  const shipped = new Map<string, number>();
  const disk: Storage = { open: new Map(), done: new Set() };
  let life = {};

  const eventOf = async (request: Request): Promise<Delivered> => {
    if (flaw === 'check not awaited') {
      verifyWebhook(request.clone(), SECRET, { clock }).catch(() => {});
      return (await clock.external(request.json())) as Delivered;
    }
    if (flaw !== 'body parsed first') return verifyWebhook(request, SECRET, { clock });
    const parsed = JSON.stringify(await clock.external(request.json()));
    const { headers } = request;
    return verifyWebhook({ body: new TextEncoder().encode(parsed), headers }, SECRET, { clock });
  };

  const begin = (): WebhookHandler => {
    const mine = (life = {});
    const { open, done } = flaw === 'in memory only' ? { open: new Map(), done: new Set() } : disk;
    const work = async (): Promise<void> => {
      await clock.wait(time === 'real' ? 600 : 20);
      if (life !== mine) return;
      for (const [id, entityId] of open) {
        open.delete(id);
        const isWanted = flaw === 'trusts the body' || paid.has(entityId);
        if (!isWanted || (done.has(entityId) && flaw !== 'no dedupe')) continue;
        done.add(entityId);
        shipped.set(entityId, (shipped.get(entityId) ?? 0) + 1);
      }
    };
    void work(); // what the process before has left
    return async (request) => {
      try {
        if (request.method !== 'POST') return new Response(null, { status: 405 });
        const { id, data } = await eventOf(request);
        open.set(id, data?.entityId ?? '');
        if (flaw === 'slow') await clock.wait(6_000);
        if (flaw === 'answers after the work') await work();
        else void work();
        return new Response(null, { status: 200 });
      } catch {
        return new Response(null, { status: flaw === '410 on an error' ? 410 : 401 });
      }
    };
  };

  let sales = 0;
  return {
    run,
    handle: begin(),
    options: {
      secret: SECRET,
      clock,
      event() {
        const entityId = `sale-${++sales}`;
        paid.add(entityId);
        const created = new Date(clock.now()).toISOString();
        return {
          id: `event-${sales}`,
          eventType: 'invoice.updated',
          webhookVersion: 'v1',
          data: { entityId },
          created,
        };
      },
      effects: (entityId) => shipped.get(entityId) ?? 0,
      restart: begin,
    },
  };
}
