// A key stands for one thing, for as long as it is known.
import { NO_LIMITS } from '../../shared/no-limits.ts';
import { lostAfter, lostBefore, type Scenes, Stage, twice } from '../stage.ts';
import { DAY_MS, exchanged, isUnknown, KEY, notNo, USD } from './common.ts';

export const keys: Scenes = {
  async 'invoice: the network brings create twice'() {
    const stage = new Stage();
    stage.after('POST /v1/invoices', twice);
    return {
      stage,
      isRight: notNo(
        await stage.hear('create', () => stage.client.invoices.create({ amount: USD('5.00') })),
      ),
    };
  },
  async 'deposit: the network brings it twice under the key of the call'() {
    const stage = new Stage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', twice);
    return {
      stage,
      isRight:
        (await stage.hear('create', () => stage.client.deposits.create(draft))).error === undefined,
    };
  },
  async 'deposit: the network brings it twice under a key of the caller'() {
    const stage = new Stage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', twice);
    return {
      stage,
      isRight: notNo(
        await stage.hear('create', () =>
          stage.client.deposits.create(draft, { idempotencyKey: KEY }),
        ),
      ),
    };
  },
  async 'exchange: the network brings its creation twice'() {
    const stage = new Stage();
    stage.after('POST /v1/currency', twice);
    return {
      stage,
      isRight: (await stage.hear('create', () => exchanged(stage))).error === undefined,
    };
  },
  async 'deposit: the key a day later, in another process'() {
    const stage = new Stage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', lostAfter, lostBefore, lostBefore);
    const at = stage.sandbox.clock.now();
    await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    await stage.sandbox.advance(DAY_MS);
    const before = stage.sent.length;
    const last = await stage.hear('create a day later', () =>
      stage.newClient().deposits.create(draft, { idempotencyKey: KEY, firstSentAt: at }),
    );
    return {
      stage,
      isRight: isUnknown(last) && stage.sent.slice(before).every(({ method }) => method === 'GET'),
    };
  },
  async 'deposit: the key eleven minutes later, after a thousand other keys'() {
    const stage = new Stage({ rateLimits: NO_LIMITS });
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', lostAfter, lostBefore, lostBefore);
    await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    await stage.run(
      (async () => {
        for (let n = 0; n < 1_001; n++) await exchanged(stage, `1.${String((n % 90) + 10)}`);
      })(),
    );
    await stage.sandbox.advance(660_000);
    const before = stage.sent.length;
    const last = await stage.hear('create 11 min later', () =>
      stage.client.deposits.create(draft, { idempotencyKey: KEY }),
    );
    return {
      stage,
      isRight: isUnknown(last) && stage.sent.slice(before).every(({ method }) => method === 'GET'),
    };
  },
};
