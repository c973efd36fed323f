// Protects: that an exchange was not executed is said by the service's clock, however wrong one's own is.
import { createClient } from 'paystate';
import { type ExchangeResult, resume } from 'paystate/flows';
import type { Sandbox } from 'paystate/sandbox';
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Desk, openDesk, unreachable } from './moves-desk.ts';

const HOUR = 3_600_000;

/** A copy of the first request to execute, which has come late. */
async function executeLate({ clock, clientOptions }: Sandbox, quoteId: string): Promise<void> {
  await clock.wait(28_000);
  await createClient(clientOptions).currencyExchangeQuotes.execute(quoteId);
}

/** An exchange that is executed just before its quote ends, unseen, and taken up by a process with another clock. */
async function playLate(ahead: number, hidesDate = false): Promise<[ExchangeResult, Desk]> {
  let isFirst = true;
  const desk: Desk = openDesk({}, (url, method, send) => {
    if (method !== 'PATCH') return send();
    if (isFirst) void executeLate(desk.sandbox, url.split('/').at(-2)!);
    isFirst = false;
    return unreachable();
  });
  desk.sandbox.fault({ method: 'GET', action: { stale: 25_000 } });
  const run = desk.exchange();
  await desk.sandbox.advance(28_500);
  run.detach();
  const { clientOptions, clock } = desk.sandbox;
  const client = createClient({
    ...clientOptions,
    clock: { ...clock, now: () => clock.now() + ahead },
    fetch: async (url, init) => {
      const response = await clientOptions.fetch(url, init);
      if (hidesDate) response.headers.delete('date');
      return response;
    },
  });
  const [taken] = await desk.sandbox.run(resume(client, { journal: desk.journal }));
  return [(await desk.sandbox.run(taken!.result)) as ExchangeResult, desk];
}

describe('an exchange that is taken up by another process', () => {
  for (const [name, ahead] of [
    ['is right', 0],
    ['is an hour ahead', HOUR],
    ['is a minute ahead', 60_000],
    ['is an hour behind', -HOUR],
  ] as const)
    it(`is said to be executed where the clock of that process ${name}`, async () => {
      const [result, desk] = await playLate(ahead);
      expect([result.phase, desk.moved('exchange').length]).to.deep.equal(['completed', 1]);
    });

  for (const ahead of [HOUR, 0, -HOUR])
    it(`is not refused where no response tells the time, by a clock ${ahead / HOUR} hours ahead`, async () => {
      const [result, desk] = await playLate(ahead, true);
      expect([result.phase, desk.moved('exchange').length]).to.deep.equal(['completed', 1]);
    });
});
