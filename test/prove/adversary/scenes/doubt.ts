// After doubt nothing but a read or an end says "not done": what was lost may have been done.
import { NO_LIMITS } from '../../shared/no-limits.ts';
import {
  type Act,
  doneBut,
  html,
  lostAfter,
  lostBefore,
  refused,
  type Scene,
  type Scenes,
  Stage,
  type StageOptions,
  twice,
} from '../stage.ts';
import { exchanged, KEY, lnurl, notNo, prepared } from './common.ts';

/** Execute, answer lost; then the same quote in the same client, with this said of it. */
const afterDoubt =
  (act?: Act, { wait = 0, ...options }: StageOptions & { readonly wait?: number } = {}): Scene =>
  async () => {
    const stage = new Stage(options);
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.sandbox.advance(wait);
    if (act) stage.after('/execute', act);
    const last = await stage.hear(`execute ${wait / 1_000} s later`, () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    return { stage, isRight: notNo(last) };
  };

/** Execute alone, done, with this said of it. */
const alone =
  (act: Act): Scene =>
  async () => {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', act);
    const last = await stage.hear('execute', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    return { stage, isRight: notNo(last) };
  };

/** Refusals that say nothing of what was lost before. */
const CLEAN: readonly (readonly [status: number, code: string])[] = [
  [429, 'RATE_LIMIT_EXCEEDED'],
  [425, 'ACCOUNT_NOT_READY'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [422, 'LN_ROUTE_NOT_FOUND'],
  [422, 'INVALID_STATE_FOR_INVOICE_PAID'],
  [422, 'INVALID_STATE_FOR_INVOICE_EXPIRED'],
  [409, 'PROCESSING_CONFLICT'],
];

export const doubt: Scenes = {
  'answer lost, the service looks at the end first, 61 s later': afterDoubt(undefined, {
    firstCheck: 'expired',
    wait: 61_000,
  }),
  'answer lost, the service looks at the balance first': afterDoubt(undefined, {
    firstCheck: 'balance',
    balances: { USD: '21.00' },
  }),
  ...Object.fromEntries(
    CLEAN.map(([status, code]) => [
      `answer lost, then a clean ${code}`,
      afterDoubt(refused(status, code)),
    ]),
  ),
  'answer lost, then PAYMENT_PROCESSED with its id': afterDoubt(),
  'the only try says PROCESSING_PAYMENT': alone(doneBut(refused(422, 'PROCESSING_PAYMENT'))),
  'the only try says PAYMENT_PROCESSED without an id': alone(
    doneBut(refused(422, 'PAYMENT_PROCESSED')),
  ),
  'brought twice, the second answer says PAYMENT_PROCESSED': alone(twice),
  async 'executed and heard; again after its end, where that is looked at first'() {
    const stage = new Stage({ firstCheck: 'expired' });
    const { paymentQuoteId } = await lnurl(stage);
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.sandbox.advance(61_000);
    return {
      stage,
      isRight: notNo(
        await stage.hear('execute 61 s later', () =>
          stage.client.paymentQuotes.execute(paymentQuoteId),
        ),
      ),
    };
  },
  async 'answer lost, then a thousand other payments, then the end of the quote'() {
    const stage = new Stage({
      firstCheck: 'expired',
      rateLimits: NO_LIMITS,
      balances: { USD: '90000' },
    });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    for (let n = 0; n < 1_001; n++)
      await stage.run(stage.client.paymentQuotes.execute((await lnurl(stage)).paymentQuoteId));
    await stage.sandbox.advance(61_000);
    return {
      stage,
      isRight: notNo(
        await stage.hear('execute at last', () =>
          stage.client.paymentQuotes.execute(paymentQuoteId),
        ),
      ),
    };
  },
  async 'answer lost, then no token to be had'() {
    const stage = new Stage();
    const { apiKey } = stage.sandbox.clientOptions;
    let isAway = false;
    const client = stage.newClient({
      apiKey: undefined,
      token: async () => {
        if (isAway) throw new Error('away');
        return apiKey;
      },
    });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => client.paymentQuotes.execute(paymentQuoteId));
    isAway = true;
    return {
      stage,
      isRight: notNo(
        await stage.hear('execute, no token', () => client.paymentQuotes.execute(paymentQuoteId)),
      ),
    };
  },
  async 'answer lost, then no place in the budget'() {
    const stage = new Stage();
    const client = stage.newClient({
      rateLimits: {
        ...stage.sandbox.clientOptions.rateLimits,
        execute: { limit: 1, window: 3_600_000, block: 3_600_000 },
      },
    });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => client.paymentQuotes.execute(paymentQuoteId));
    return {
      stage,
      isRight: notNo(
        await stage.hear('execute, no place', () => client.paymentQuotes.execute(paymentQuoteId)),
      ),
    };
  },
  async 'two calls at once: one is refused while the other is on its way'() {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after(
      '/execute',
      async (send) => {
        await stage.sandbox.clock.wait(5_000);
        return send();
      },
      refused(422, 'BALANCE_TOO_LOW'),
    );
    const first = stage.client.paymentQuotes.execute(paymentQuoteId);
    first.catch(() => {});
    const second = await stage.hear('the other call', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    await stage.hear('the first call', () => first);
    return { stage, isRight: notNo(second) };
  },
  async 'exchange: first heard is CURRENCY_EXCHANGE_QUOTE_PROCESSED'() {
    const stage = new Stage();
    const { id } = await stage.run(exchanged(stage));
    stage.after('/execute', twice);
    return {
      stage,
      isRight: notNo(
        await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id)),
      ),
    };
  },
  async 'exchange: answer lost three times, then the end of the quote in another call'() {
    const stage = new Stage({ firstCheck: 'expired' });
    const { id } = await stage.run(exchanged(stage));
    stage.after('/execute', lostAfter, lostBefore, lostBefore);
    stage.after(
      'GET /v1/currency',
      lostBefore,
      lostBefore,
      lostBefore,
      lostBefore,
      lostBefore,
      lostBefore,
    );
    await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id));
    await stage.sandbox.advance(61_000);
    return {
      stage,
      isRight: notNo(
        await stage.hear('execute 61 s later', () =>
          stage.client.currencyExchangeQuotes.execute(id),
        ),
      ),
    };
  },
  async 'payout: answer lost, PAYOUT_ALREADY_INITIATED, and the read fails'() {
    const stage = new Stage();
    const { id } = await prepared(stage);
    stage.after('/initiate', lostAfter);
    stage.after('GET /v1/payouts/', html(503), html(503), html(503), html(503));
    return {
      stage,
      isRight: notNo(await stage.hear('initiate', () => stage.client.payouts.initiate(id))),
    };
  },
  async 'payout: answers lost, then PAYOUT_ALREADY_INITIATED in another call'() {
    const stage = new Stage();
    const { id } = await prepared(stage);
    stage.after('/initiate', lostAfter, lostBefore, lostBefore);
    await stage.hear('initiate', () => stage.client.payouts.initiate(id));
    return {
      stage,
      isRight: notNo(await stage.hear('initiate again', () => stage.client.payouts.initiate(id))),
    };
  },
  async 'payout: answers lost, then BALANCE_TOO_LOW in another call'() {
    const stage = new Stage();
    const { id } = await prepared(stage);
    stage.after('/initiate', lostAfter, lostBefore, lostBefore, refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('initiate', () => stage.client.payouts.initiate(id));
    return {
      stage,
      isRight: notNo(await stage.hear('initiate again', () => stage.client.payouts.initiate(id))),
    };
  },
  async 'deposit: answers lost, then a clean refusal of the same key'() {
    const stage = new Stage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after(
      'POST /v1/deposits',
      lostAfter,
      lostBefore,
      lostBefore,
      refused(422, 'DEPOSIT_LIMIT_EXCEEDED'),
    );
    await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    return {
      stage,
      isRight: notNo(
        await stage.hear('create again', () =>
          stage.client.deposits.create(draft, { idempotencyKey: KEY }),
        ),
      ),
    };
  },
};
