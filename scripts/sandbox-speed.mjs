// How fast the service in a box is, in one process: figures for the record, not a test.
// `npm run sandbox-speed` builds and prints them.
import { createSandbox } from 'paystate/sandbox';

const wide = { limit: Infinity, window: 1, block: 1 };
const limits = {
  invoices: wide,
  'invoice-quotes': wide,
  rates: wide,
  'payment-quotes': wide,
  execute: wide,
  others: wide,
};

const askerOf = (sandbox) => {
  const headers = {
    authorization: `Bearer ${sandbox.clientOptions.apiKey}`,
    'content-type': 'application/json',
  };
  return async (method, path, body) => {
    const response = await sandbox.fetch(path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
};

/** Create, find, list, quote, cancel: five requests a round. By the wall, and by the time that the processor was ours. */
const mixed = async (signed, rounds) => {
  const sandbox = createSandbox({ rateLimits: limits, signed });
  const ask = askerOf(sandbox);
  const round = async () => {
    const { invoiceId } = await ask('POST', '/v1/invoices', {
      amount: { amount: '12.50', currency: 'EUR' },
      description: 'tea',
    });
    await ask('GET', `/v1/invoices/${invoiceId}`);
    await ask('GET', "/v1/invoices?$top=10&$filter=state%20eq%20'UNPAID'");
    await ask('POST', `/v1/invoices/${invoiceId}/quote`);
    await ask('PATCH', `/v1/invoices/${invoiceId}/cancel`);
  };
  for (let warm = 0; warm < rounds / 5; warm++) await round();
  const [start, used] = [performance.now(), process.cpuUsage()];
  for (let done = 0; done < rounds; done++) await round();
  const { user, system } = process.cpuUsage(used);
  return [
    (5 * rounds * 1_000) / (performance.now() - start),
    (5 * rounds * 1_000_000) / (user + system),
  ];
};

const show = (name, [wall, own]) =>
  console.log(
    `${name.padEnd(24)} ${Math.round(wall).toLocaleString('en')} requests a second · ${Math.round(own).toLocaleString('en')} a second of processor time`,
  );
show('mix of five, unsigned', await mixed(false, 4_000));
show('mix of five, signed', await mixed(true, 1_000));

const INVOICES = 100_000;

/** A sandbox with so many invoices, a second apart; each eighth is cancelled, each tenth has a name. */
const fullShop = async () => {
  const sandbox = createSandbox({ rateLimits: limits, signed: false });
  const ask = askerOf(sandbox);
  const currencies = ['EUR', 'USD', 'EUR', 'BTC'];
  for (let number = 0; number < INVOICES; number++) {
    const { invoiceId } = await ask('POST', '/v1/invoices', {
      amount: { amount: '1', currency: currencies[number % 4] },
      ...(number % 10 === 0 && { correlationId: `order ${number}` }),
    });
    if (number % 8 === 0) await ask('PATCH', `/v1/invoices/${invoiceId}/cancel`);
    if (number % 1_000 === 0) await sandbox.advance(1_000);
  }
  return ask;
};

const FILTERS = {
  none: undefined,
  'state eq, a large set': "state eq 'UNPAID'",
  'state eq, a smaller set': "state eq 'CANCELLED'",
  'state in, both': "state in ('UNPAID','CANCELLED')",
  'currency or, two': "currency eq 'EUR' or currency eq 'BTC'",
  'correlationId eq': "correlationId eq 'order 50000'",
  'correlationId in, 15': `correlationId in (${Array.from({ length: 15 }, (_, index) => `'order ${index * 500}'`).join(',')})`,
  'window of created': 'created gt 2026-01-05T09:00:20Z and created lt 2026-01-05T09:01:20Z',
  'window and state': "created gt 2026-01-05T09:00:20Z and state eq 'CANCELLED'",
  'state and currency (scan)': "state eq 'UNPAID' and currency eq 'EUR'",
  'two fields or (scan)': "state eq 'PAID' or currency eq 'BTC'",
  'times or (scan)': 'created lt 2026-01-05T09:00:10Z or created gt 2026-01-05T09:01:20Z',
  '16 comparisons (scan)': Array.from(
    { length: 8 },
    (_, index) => `(created gt 2026-01-05T09:00:0${index}Z and currency eq 'X${index}')`,
  ).join(' or '),
};

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

const listTime = async (ask, filter, skip) => {
  const where = new URLSearchParams({
    $top: '100',
    $skip: `${skip}`,
    ...(filter && { $filter: filter }),
  });
  const times = [];
  let count = 0;
  for (let run = 0; run < 15; run++) {
    const start = performance.now();
    ({ count } = await ask('GET', `/v1/invoices?${where}`));
    times.push(performance.now() - start);
  }
  return { count, time: median(times) };
};

const ask = await fullShop();
console.log(
  `\n100 of a filter's invoices among ${INVOICES.toLocaleString('en')}: median time of the whole request`,
);
for (const [name, filter] of Object.entries(FILTERS)) {
  const [first, deep] = [await listTime(ask, filter, 0), await listTime(ask, filter, 20_000)];
  console.log(
    `${name.padEnd(28)} ${first.time.toFixed(2).padStart(6)} ms · after 20,000: ${deep.time.toFixed(2).padStart(6)} ms · count ${first.count.toLocaleString('en')}`,
  );
}
