// The same in a Durable Object. It cannot kill itself: at its point it asks to be killed, and waits.
import { durableObjectDriver, sqlStore } from 'paystate/stores';
import { live } from './life.mjs';

export class Payer {
  #storage;

  constructor({ storage }) {
    this.#storage = storage;
  }

  async fetch(request) {
    const task = await request.json();
    let points = 0;
    const point = async (name) => {
      points += 1;
      if (points !== task.killAt) return;
      await fetch(task.killer, { method: 'POST', body: JSON.stringify({ point: points, name }) });
      await new Promise(() => {});
    };
    const ends = await live(task, sqlStore(durableObjectDriver(this.#storage)), point);
    return Response.json({ ends, points });
  }
}

export default {
  fetch: (request, { PAYER }) => PAYER.get(PAYER.idFromName('payer')).fetch(request),
};
