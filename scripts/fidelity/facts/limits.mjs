// Rate limits. The only facts that play with them on.
import {
  blocks,
  lasts,
  leavesAlone,
  otherAddress,
  otherKey,
  tellsWhen,
  unauthorizedToo,
  windowEnds,
} from '../checks-limits.mjs';
import { section } from '../section.mjs';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const PRODUCTION = { options: { rateLimits: 'production' }, pause: 3 * HOUR };
const TEST = { options: { rateLimits: 'test' }, args: ['--rate-limits', 'test'], pause: 3 * HOUR };

// biome-ignore format: one line a fact
export const rateLimits = section('rate limits', [
  ['wire 5', '250 invoices can be made in a minute.', blocks('invoices', 250)],
  ['wire 5', '250 quotes of invoices can be made in a minute.', blocks('quotes', 250)],
  ['wire 5', 'Rates can be read 250 times in a minute.', blocks('rates', 250)],
  ['wire 5', '250 quotes of payments can be made in a minute.', blocks('payment quotes', 250)],
  ['wire 5', 'Quotes of payments of all kinds count together.', blocks('mixed quotes', 250)],
  ['wire 5', '250 quotes can be executed in a minute.', blocks('execution', 250)],
  ['wire 5', '1,000 other requests can be sent in ten minutes.', blocks('others', 1_000)],
  ['wire 5', 'All other requests count together.', blocks('mixed others', 1_000)],
  ['wire 5', 'Making invoices is blocked for a minute.', lasts('invoices', 250, MINUTE)],
  ['wire 5', 'Quoting invoices is blocked for a minute.', lasts('quotes', 250, MINUTE)],
  ['wire 5', 'Reading rates is blocked for a minute.', lasts('rates', 250, MINUTE)],
  ['wire 5', 'Quoting payments is blocked for a minute.', lasts('payment quotes', 250, MINUTE)],
  ['wire 5', 'Executing is blocked for a minute.', lasts('execution', 250, MINUTE)],
  ['wire 5', 'All others are blocked for an hour.', lasts('others', 1_000, HOUR)],
  ['wire 5', 'A minute later there are 250 again.', windowEnds('rates', 250, MINUTE)],
  ['wire 5', 'Ten minutes later there are 1,000 again.', windowEnds('others', 1_000, 10 * MINUTE)],
  ['wire 5', 'A refusal for a minute says when it ends.', tellsWhen('rates', 250, MINUTE)],
  ['wire 5', 'A refusal for an hour says when it ends.', tellsWhen('others', 1_000, HOUR)],
  ['wire 5', 'Each refusal says when it ends.', unauthorizedToo()],
  ['wire 5', 'A block of the rates leaves the others.', leavesAlone('rates', 250, 'others')],
  ['wire 5', 'A block of invoices leaves their quotes.', leavesAlone('invoices', 250, 'quotes')],
  ['wire 5', 'A block of quotes leaves their execution.', leavesAlone('payment quotes', 250, 'execution')],
  ['wire 5', 'A block of the others leaves invoices.', leavesAlone('others', 1_000, 'invoices')],
  ['wire 5', 'Another address is not blocked.', otherAddress()],
  ['wire 5', 'Another key from the same address is blocked.', otherKey()],
], PRODUCTION);

// biome-ignore format: one line a fact
export const testRateLimits = section('test rate limits', [
  ['wire 5', 'In the test environment 90 invoices can be made in a minute.', blocks('invoices', 90)],
  ['wire 5', 'In the test environment 90 quotes of invoices can be made in a minute.', blocks('quotes', 90)],
  ['wire 5', 'In the test environment rates can be read 90 times in a minute.', blocks('rates', 90)],
  ['wire 5', 'In the test environment 90 quotes of payments can be made in a minute.', blocks('payment quotes', 90)],
  ['wire 5', 'In the test environment 90 quotes can be executed in a minute.', blocks('execution', 90)],
  ['wire 5', 'In the test environment 350 others can be sent in ten minutes.', blocks('others', 350)],
  ['wire 5', 'In the test environment a block of the others lasts an hour too.', lasts('others', 350, HOUR)],
], TEST);
