// Protects: a script that waits for a sandbox whose time nobody moves is told why nothing happens, once.
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

interface Played {
  readonly warnings: readonly string[];
  /** Timers of the machine that were left when the work was done. */
  readonly open: number;
}

/** Plays `work` with timers and a console that are watched, and lets the timers ring. */
const play = async (work: () => Promise<void>): Promise<Played> => {
  const { setTimeout, clearTimeout } = globalThis;
  const { warn } = console;
  const [warnings, timers]: [string[], Map<number, () => void>] = [[], new Map()];
  let [begun, open] = [0, 0];
  try {
    console.warn = (text: string) => void warnings.push(text);
    globalThis.setTimeout = ((ring: () => void) => {
      timers.set(++begun, ring);
      return begun;
    }) as never;
    globalThis.clearTimeout = ((timer: number) => void timers.delete(timer)) as never;
    await work();
    open = timers.size;
    for (const ring of timers.values()) ring();
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    console.warn = warn;
  }
  return { warnings, open };
};

/** Everything that goes on by itself has gone on. */
const settle = async () => {
  for (let count = 0; count < 20; count++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a virtual sandbox that nobody moves', () => {
  it('says once what to call', async () => {
    const { warnings } = await play(async () => {
      const sandbox = createSandbox({ clock: 'virtual' });
      sandbox.fault({ path: '/v1/invoices', action: { delay: 1_000 } });
      const client = createClient(sandbox.clientOptions);
      void client.balances.list(); // what ends leaves the others waiting
      for (let count = 0; count < 3; count++)
        void client.invoices
          .list()
          .count()
          .catch(() => {});
      await settle();
    });
    expect(warnings).to.have.length(1);
    for (const way of ['sandbox.run(', 'sandbox.advance(', "clock: 'real'"])
      expect(warnings[0]).to.include(way);
  });

  it('says it for a subscription too, which does not move time that moves by itself', async () => {
    const { warnings } = await play(async () => {
      const sandbox = createSandbox();
      const client = createClient(sandbox.clientOptions);
      watchInvoice(client, '11111111-1111-4111-8111-111111111111').subscribe(() => {});
      await settle();
    });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include("Subscriptions don't advance it");
  });

  it('says nothing where it is moved, before or after something began to wait', async () => {
    const { warnings } = await play(async () => {
      const early = createSandbox();
      await early.advance(1);
      void createClient(early.clientOptions).invoices.list().count();
      const late = createSandbox();
      const counted = createClient(late.clientOptions).invoices.list().count();
      await settle();
      await late.run(counted);
      void createSandbox(); // nothing waits for it
      await settle();
    });
    expect(warnings).to.deep.equal([]);
  });

  it('says nothing where calls have ended, and keeps no process open for them', async () => {
    const { warnings, open } = await play(async () => {
      const client = createClient(createSandbox().clientOptions);
      for (let count = 0; count < 3; count++) await client.balances.list();
      await settle();
    });
    expect({ warnings, open }).to.deep.equal({ warnings: [], open: 0 });
  });
});
