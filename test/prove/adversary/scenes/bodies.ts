// Bodies that are a success, and bodies that only have its status.
import type { Payment } from 'paystate';
import { type Act, answered, html, type Scene, type Scenes, Stage } from '../stage.ts';
import { exchanged, isUnknown, lnurl } from './common.ts';
import { factsOf } from '../users/common.ts';

/** An exchange is told to execute, and something else answers. */
const portal =
  (answer: Act): Scene =>
  async () => {
    const stage = new Stage();
    const { id } = await stage.run(exchanged(stage));
    stage.after('/execute', answer, answer, answer);
    const heard = await stage.hear('execute', () =>
      stage.client.currencyExchangeQuotes.execute(id),
    );
    return {
      stage,
      isRight:
        heard.error === undefined ? stage.moved() === 1 : isUnknown(heard) || stage.moved() === 0,
    };
  };

/** A resource is removed, and a page of a portal answers. */
const removal =
  (make: (stage: Stage) => Promise<() => Promise<void>>): Scene =>
  async () => {
    const stage = new Stage();
    const remove = await make(stage);
    stage.after('DELETE', html(), html(), html());
    return { stage, isRight: (await stage.hear('remove', remove)).error !== undefined };
  };

/** Leaves nothing of a payment but its id and these members. */
const idOnly =
  (others: object = {}): Act =>
  async (send) => {
    const { paymentId } = (await (await send()).json()) as Payment;
    return answered({ paymentId, ...others })(send);
  };

export const bodies: Scenes = {
  'exchange: a page of a portal as 200': portal(html()),
  'exchange: a page of a portal as 206': portal(html(206)),
  'exchange: {"error":"nope"} as 200': portal(answered({ error: 'nope' })),
  'bank method: removed by a page': removal(async (stage) => {
    const id = await stage.methodOf('SEPA');
    return () => stage.client.bankPaymentMethods.remove(id);
  }),
  'subscription: removed by a page': removal(async (stage) => {
    const { id } = await stage.run(
      stage.client.subscriptions.create({
        webhookUrl: 'https://shop.example/hook',
        webhookVersion: 'v1',
        secret: 'a-secret-of-a-test',
        enabled: true,
        eventTypes: ['invoice.updated'],
      }),
    );
    return () => stage.client.subscriptions.remove(id);
  }),
  async 'execute answers { paymentId } alone'() {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', idOnly());
    const { value } = await stage.hear('execute', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    return { stage, isRight: value?.paymentId !== undefined && value.state === 'PENDING' };
  },
  async 'execute answers what cannot be read, but for its paymentId'() {
    const stage = new Stage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', idOnly({ state: 7, amount: 'much' }));
    const { value, error } = await stage.hear('execute', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    return { stage, isRight: (value ?? factsOf(error).values)?.['paymentId'] !== undefined };
  },
};
