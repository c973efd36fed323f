// Protects: ten handlers that never answer delay no other order of the shop, on rows and in an account object; each is
// reported and counted, and ships when it answers late. In virtual time.
// Part of `npm test`.
import { expect } from 'chai';
import type { InboxProblem } from 'paystate/webhooks';
import { describe, it } from '#test';
import { DRAFT, HOOK, openHere } from './host/here.ts';
import { openObjects } from './relay-objects.ts';

const HUNG = 10;
const SECOND = 1_000;

/** Handlers of which the first ones hang until they are let go. */
function hanging() {
  const begun: string[] = [];
  const held: (() => void)[] = [];
  const orderPaid = ({ orderId }: { readonly orderId: string }): Promise<void> | undefined => {
    begun.push(orderId);
    if (begun.length > HUNG) return undefined;
    return new Promise((resolve) => void held.push(resolve));
  };
  return { begun, held, orderPaid };
}

const slow = (problems: readonly InboxProblem[]): number =>
  problems.filter(({ kind }) => kind === 'handler-slow').length;

describe('ten handlers that never answer', () => {
  it('delay no other order on SQLite; health counts them', async () => {
    const { begun, held, orderPaid } = hanging();
    const here = openHere({
      webhookUrl: 'https://shop.example/hooks/main',
      account: { on: { orderPaid }, secrets: HOOK },
    });
    await here.sandbox.run(here.relay.ready);
    const sellPaid = async (): Promise<string> => {
      const { orderId, invoiceId } = await here.sell();
      await here.pay(invoiceId);
      return orderId;
    };
    for (let n = 0; n < HUNG; n++) await sellPaid();
    await here.sandbox.advance(5 * SECOND);
    expect(begun).to.have.length(HUNG);
    for (let n = 1; n <= 3; n++) {
      const order = await sellPaid();
      await here.sandbox.advance(5 * SECOND);
      expect(begun.slice(HUNG + n - 1)).to.deep.equal([order]);
    }
    expect(here.relay.health()).to.include({ ok: true }).and.not.have.property('stuck');
    await here.sandbox.advance(30 * SECOND);
    expect(here.relay.health()).to.include({ ok: true, stuck: HUNG });
    expect(slow(here.problems)).to.equal(HUNG);
    for (const letGo of held) letGo();
    await here.sandbox.advance(400 * SECOND);
    expect(begun).to.have.length(HUNG + 3);
    expect(here.relay.health()).not.to.have.property('stuck');
    await here.relay.close();
  });

  it('delay no other order in an account object', async () => {
    const { begun, held, orderPaid } = hanging();
    const hooks = { secrets: HOOK, webhookUrl: 'https://shop.example/hooks/main' };
    const world = openObjects(undefined, { ...hooks, on: { orderPaid } }, true);
    const { sandbox, relay, client } = world;
    const sellPaid = async (): Promise<string> => {
      const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
      const { body } = await world.exchange(orderId, orderSecret);
      await world.pay(await sandbox.run(client.invoices.get(body.invoiceId)));
      return orderId;
    };
    for (let n = 0; n < HUNG; n++) await sellPaid();
    await sandbox.advance(5 * SECOND);
    expect(begun).to.have.length(HUNG);
    const order = await sellPaid();
    await sandbox.advance(5 * SECOND);
    expect(begun.slice(HUNG)).to.deep.equal([order]);
    await sandbox.advance(30 * SECOND);
    expect(slow(world.problems)).to.equal(HUNG);
    for (const letGo of held) letGo();
    await sandbox.advance(400 * SECOND);
    expect(begun).to.have.length(HUNG + 1);
  });
});
