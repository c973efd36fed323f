import { isPaystateError } from '../../core/errors/index.ts';
import { type Connection, request } from '../../core/http/index.ts';
import * as endpoints from '../../endpoints.ts';
import { eventFeed } from '../../resources/events.feed.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import { eventTypes } from '../../resources/events.types.ts';
import type { Money } from '../../money/index.ts';
import { ACCOUNT_OPTIONS, accountClient } from '../account.ts';
import {
  type Command,
  countOption,
  EXIT,
  type Given,
  listOption,
  textOption,
  UsageError,
  type Terminal,
} from '../command.ts';

/** `paystate tail`: events as they happen. */
export const tail: Command = {
  usage: 'tail [options]',
  about: `show the account's events as they happen, from the event feed
Reads only. What could not be read is shown as a gap. Stop with Ctrl-C.`,
  options: {
    ...ACCOUNT_OPTIONS,
    from: {
      type: 'string',
      value: 'TIME',
      help: 'start at this ISO date-time of the last 30 days; default: now',
    },
    type: { type: 'string', multiple: true, value: 'TYPE', help: 'only events of this type' },
    values: { type: 'boolean', help: 'also read what each event is about: one more request each' },
    count: { type: 'string', value: 'N', help: 'stop after this many events' },
  },
  async run(given, _, terminal) {
    const client = accountClient(given);
    const types = typesOf(given);
    const most = countOption(given, 'count', 1_000_000) ?? Infinity;
    let count = 0;
    const from = textOption(given, 'from');
    for await (const { event, gap } of eventFeed(client, { from, signal: terminal.signal })) {
      if (gap) {
        terminal.emit({ gap });
        terminal.complain(`events may be missing: ${gap.reason}`);
        continue;
      }
      if (types.length > 0 && !types.includes(event.eventType)) continue;
      const value = given['values'] === true ? await subjectOf(client, event) : undefined;
      terminal.emit({ event, ...(value !== undefined && { value }) });
      terminal.print(lineOf(event, value, terminal));
      if (++count >= most) return EXIT.ok;
    }
    return EXIT.ok;
  },
};

/** The types that were asked for; a type that the service does not know would never come. */
export function typesOf(given: Given): readonly string[] {
  const types = listOption(given, 'type');
  const stranger = types.find((type) => !Object.hasOwn(eventTypes, type));
  if (stranger !== undefined)
    throw new UsageError(
      `--type: "${stranger}" is not an event type; there are ${Object.keys(eventTypes).join(', ')}`,
    );
  return types;
}

const READS: Readonly<Record<string, { readonly path: string }>> = {
  invoice: endpoints.invoices.get,
  payment: endpoints.payments.get,
  payout: endpoints.payouts.get,
  deposit: endpoints.deposits.get,
  bankPaymentMethod: endpoints.bankPaymentMethods.get,
  payoutOriginator: endpoints.payoutOriginators.get,
  currencyExchangeQuote: endpoints.currencyExchangeQuotes.get,
  receiveRequest: endpoints.receiveRequests.get,
};

/** The resource of an event, as it is now; absent where it cannot be read. */
async function subjectOf(
  connection: Connection,
  { eventType, data: { entityId } }: ServiceEvent,
): Promise<unknown> {
  const path = READS[(eventTypes as Readonly<Record<string, string>>)[eventType] ?? '']?.path;
  const name = /\{(\w+)\}/.exec(path ?? '')?.[1];
  if (path === undefined || name === undefined) return undefined;
  try {
    return await request(connection, 'GET', path, { params: { [name]: entityId } });
  } catch (thrown) {
    if (isPaystateError(thrown) && thrown.kind === 'refused') return undefined;
    throw thrown;
  }
}

interface Shown {
  readonly state?: string;
  readonly amount?: Money;
}

/** One line: when, what, of which resource, and what it is now. */
export function lineOf(
  { created, eventType, data: { entityId, changes = [] } }: ServiceEvent,
  value: unknown,
  { style }: Pick<Terminal, 'style'>,
): string {
  const { state, amount } = (value ?? {}) as Shown;
  return [
    style('dim', created.slice(11, 19)),
    style('cyan', eventType.padEnd(32)),
    entityId,
    ...(state === undefined ? [] : [style('bold', state)]),
    ...(amount === undefined ? [] : [`${amount.amount} ${amount.currency}`]),
    ...(changes.length > 0 ? [style('dim', changes.join(','))] : []),
  ].join(' ');
}
