// Calls whose outcome is certain: "not done" stays "not done".
import {
  type Act,
  html,
  type Heard,
  lostAfter,
  outcomeOf,
  refused,
  type Scene,
  type Scenes,
  Stage,
} from '../stage.ts';
import { lnurl } from './common.ts';

const isNo = (heard: Heard<unknown>): boolean => outcomeOf(heard) === 'not-done';

/** Two calls for one quote, none of which is in doubt. */
const certain =
  (first: Act, second: Act = refused(422, 'PAYMENT_QUOTE_EXPIRED')): Scene =>
  async () => {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', first, second);
    const heard: Heard<unknown>[] = [];
    for (const turn of ['execute', 'execute again'])
      heard.push(await stage.hear(turn, () => stage.client.paymentQuotes.execute(paymentQuoteId)));
    return { stage, isRight: heard.every(isNo) };
  };

export const certainty: Scenes = {
  'a clean refusal, then the end of the quote': certain(refused(422, 'BALANCE_TOO_LOW')),
  'too many requests, then the end of the quote': certain(
    refused(429, 'RATE_LIMIT_EXCEEDED'),
    refused(422, 'PAYMENT_QUOTE_EXPIRED'),
  ),
  async 'no token to be had, then the end of the quote'() {
    const stage = new Stage();
    const { apiKey } = stage.sandbox.clientOptions;
    let isAway = true;
    const client = stage.newClient({
      apiKey: undefined,
      token: async () => {
        if (isAway) throw new Error('away');
        return apiKey;
      },
    });
    const { paymentQuoteId } = await lnurl(stage);
    const first = await stage.hear('execute, no token', () =>
      client.paymentQuotes.execute(paymentQuoteId),
    );
    isAway = false;
    stage.after('/execute', refused(422, 'PAYMENT_QUOTE_EXPIRED'));
    return {
      stage,
      isRight:
        isNo(first) &&
        isNo(await stage.hear('execute', () => client.paymentQuotes.execute(paymentQuoteId))),
    };
  },
  async 'another quote is in doubt'() {
    const stage = new Stage();
    const [one, other] = [await lnurl(stage), await lnurl(stage)];
    stage.after('/execute', lostAfter, refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('execute one', () => stage.client.paymentQuotes.execute(one.paymentQuoteId));
    return {
      stage,
      isRight: isNo(
        await stage.hear('execute the other', () =>
          stage.client.paymentQuotes.execute(other.paymentQuoteId),
        ),
      ),
    };
  },
  async 'a read that fails'() {
    const stage = new Stage();
    stage.after('GET', html(503), html(503), html(503));
    return {
      stage,
      isRight: isNo(
        await stage.hear('find', () =>
          stage.client.payments.get('7d2af8ea-bd24-4489-b742-45b2d1f86a47'),
        ),
      ),
    };
  },
};
