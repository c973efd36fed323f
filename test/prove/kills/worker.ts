// Payments in a Durable Object. It cannot kill itself: at its point it asks to be killed, and waits.
import { durableObjectDriver, type DurableObjectStorage, sqlStore } from 'paystate/stores';
import { live } from './life.ts';
import type { Ended, Task } from './task.ts';

export interface KillerTask extends Task {
  /** The address at which it asks to be killed. */
  readonly killer: string;
}

export class Payer {
  readonly #storage: DurableObjectStorage;

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const task = (await request.json()) as KillerTask;
    let points = 0;
    const point = async (name: string): Promise<void> => {
      points += 1;
      if (points !== task.killAt) return;
      await fetch(task.killer, { method: 'POST', body: JSON.stringify({ point: points, name }) });
      await new Promise(() => {});
    };
    const journal = sqlStore(durableObjectDriver(this.#storage));
    const { isRestart, restoredFrom } = task;
    const ends = await live(task.money!, { isRestart, restoredFrom, journal, point });
    const said: Ended = { said: 'moved', ends, points };
    return Response.json(said);
  }
}

interface Objects<Id> {
  idFromName(name: string): Id;
  get(id: Id): { fetch(request: Request): Promise<Response> };
}

export default {
  fetch: (request: Request, { PAYER }: { readonly PAYER: Objects<unknown> }): Promise<Response> =>
    PAYER.get(PAYER.idFromName('payer')).fetch(request),
};
