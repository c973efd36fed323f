// The SDK's feed against the sandbox's oddest days: every event of the books comes out once.
import { expect } from 'chai';
import { createClient, eventFeed } from 'paystate';
import { createSandbox, type FaultRule, type Sandbox, type EventFaultRule } from 'paystate/sandbox';
import { describe, itLong } from '#test';
import { asker, newInvoice } from './ask.ts';

const MINUTE = 60_000;

const DAYS: Readonly<Record<string, readonly (FaultRule | EventFaultRule)[]>> = {
  'nothing wrong': [],
  'ties in any order': [
    { event: 'tied', probability: 0.5 },
    { path: '/v1/events', action: 'unstable-ties' },
  ],
  'nodes with wrong clocks': [{ event: { ahead: 60 * MINUTE }, probability: 0.05 }],
  'late events': [
    { event: { late: 4 * MINUTE }, probability: 0.1 },
    { event: { late: 5_000 }, probability: 0.3 },
  ],
  'clamped pages': [{ path: '/v1/events', action: { rewrite: { page: 37 } } }],
  'no count': [{ path: '/v1/events', action: { rewrite: { count: 'unknown' } } }],
  'any precision': [{ path: '/v1/events', action: { rewrite: { digits: 'varied' } } }],
  'a replica behind': [{ path: '/v1/events', probability: 0.5, action: { stale: 20_000 } }],
};

/** Sells now and then for four minutes; what the feed gave until eight minutes later. */
const fed = async (sandbox: Sandbox): Promise<readonly string[]> => {
  const client = createClient(sandbox.clientOptions);
  const ask = asker(sandbox, sandbox.clientOptionsFor({ address: '198.51.100.9' }));
  const stop = new AbortController();
  const ids: string[] = [];
  const reading = (async () => {
    for await (const { event } of eventFeed(client, { signal: stop.signal }))
      if (event) ids.push(event.id);
  })().catch((thrown: unknown) => {
    if (!stop.signal.aborted) throw thrown;
  });
  await sandbox.advance(5_000);
  for (let index = 0; index < 60; index++) {
    await newInvoice(ask);
    await sandbox.advance(index % 10 === 0 ? 20_000 : 2_000);
  }
  await sandbox.advance(8 * MINUTE);
  stop.abort();
  await sandbox.advance(0);
  await reading;
  return ids;
};

describe('sandbox: the feed through faults', () => {
  for (const [name, rules] of Object.entries(DAYS))
    itLong(`brings every event once: ${name}`, async () => {
      const sandbox = createSandbox({ seed: name, signed: false });
      for (const rule of rules) sandbox.fault(rule);
      const ids = await fed(sandbox);
      expect([ids.length, new Set(ids).size]).to.deep.equal([60, 60]);
    });
});
