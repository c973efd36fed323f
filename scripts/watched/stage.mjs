// A service, a device, the network between them, and a client of the built package on it.
import { createClient } from 'paystate';
import { createDevice } from './device.mjs';
import { createNetwork } from './network.mjs';
import { openService } from './service.mjs';

/** Invoices are made over so many milliseconds, in as many steps. */
const AGES = 1_200_000;
const STEPS = 20;

/** The client's credential comes from a provider, which `credential.fail` breaks until what it returns is called. */
export const openStage = (options) => {
  const service = openService(options);
  const { sandbox, clock } = service;
  const device = createDevice(clock);
  const base = sandbox.clientOptionsFor({ address: '203.0.113.9' });
  const codes = new Map(); // when each code that was made ends, by the service
  const send = async (url, init) => {
    const answer = await base.fetch(url, init);
    if (url.endsWith('/quote') && answer.status < 300) {
      const { lnInvoice, expiration } = await answer.clone().json();
      codes.set(lnInvoice, Date.parse(expiration));
    }
    return answer;
  };
  const network = createNetwork({ sandbox, device, send });
  const failing = new Set();
  const credential = {
    get: async () => [...failing][0]?.() ?? base.apiKey,
    fail(how) {
      const one = () => how();
      failing.add(one);
      return () => void failing.delete(one);
    },
  };
  const newClient = (capabilities) =>
    createClient({
      ...base,
      capabilities,
      apiKey: undefined,
      token: () => credential.get(),
      clock: device.clock,
      fetch: network.fetch,
    });
  return { service, sandbox, clock, device, network, codes, credential, newClient };
};

/** Makes so many invoices, of ages from none to twenty minutes. */
export const createMany = async ({ service, sandbox }, count) => {
  const invoices = [];
  for (let step = 0; step < STEPS; step++) {
    const due = Math.ceil((count * (step + 1)) / STEPS);
    while (invoices.length < due) invoices.push(await service.create());
    await sandbox.advance(AGES / STEPS);
  }
  return invoices;
};

/** Plays acts at their times, { at, act }, `at` counted from now; returns after `length` milliseconds. */
export const play = async ({ sandbox, clock }, acts, length) => {
  const begin = clock.now();
  const moveTo = (at) => sandbox.advance(Math.max(0, begin + at - clock.now()));
  for (const { at, act } of acts.toSorted((a, b) => a.at - b.at)) {
    await moveTo(at);
    await act();
  }
  await moveTo(length);
};
