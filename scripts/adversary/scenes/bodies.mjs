// What is a success, and what only has its status.
import { answered, html, openStage } from '../stage.mjs';
import { exchanged, isUnknown, lnurl } from './common.mjs';

/** An exchange is told to execute, and something else answers. */
const portal = (answer) => async () => {
  const stage = await openStage();
  const { id } = await stage.run(exchanged(stage));
  stage.after('/execute', answer, answer, answer);
  const heard = await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id));
  return {
    stage,
    isRight:
      heard.error === undefined ? stage.moved() === 1 : isUnknown(heard) || stage.moved() === 0,
  };
};

const removal = (make) => async () => {
  const stage = await openStage();
  const remove = await make(stage);
  stage.after('DELETE', html(), html(), html());
  return { stage, isRight: (await stage.hear('remove', remove)).error !== undefined };
};

export const bodies = {
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
    const stage = await openStage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', async (send) =>
      answered({ paymentId: (await (await send()).json()).paymentId })(),
    );
    const { value } = await stage.hear('execute', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    return { stage, isRight: value?.paymentId !== undefined && value.state === 'PENDING' };
  },
  async 'execute answers what cannot be read, but for its paymentId'() {
    const stage = await openStage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', async (send) =>
      answered({ paymentId: (await (await send()).json()).paymentId, state: 7, amount: 'much' })(),
    );
    const { value, error } = await stage.hear('execute', () =>
      stage.client.paymentQuotes.execute(paymentQuoteId),
    );
    return { stage, isRight: (value?.paymentId ?? error?.values?.paymentId) !== undefined };
  },
};
