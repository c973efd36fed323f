import type { Client } from '../../client.ts';
import { eventFeed } from '../../resources/events.feed.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import { eventTypes } from '../../resources/events.types.ts';
import * as registry from '../../resources/registry.ts';
import type { ResourceModule } from '../../resources/resource.ts';
import type { Money } from '../../money/index.ts';
import { ACCOUNT_OPTIONS, accountClient, unlessRefused } from '../account.ts';
import {
  type Command,
  type CommandOptions,
  countOption,
  EXIT,
  type Given,
  listOption,
  textOption,
  UsageError,
  type Terminal,
} from '../command.ts';

export const FEED_OPTIONS: CommandOptions = {
  ...ACCOUNT_OPTIONS,
  from: {
    type: 'string',
    value: 'TIME',
    help: 'ISO date-time to start at, within the last 30 days; default: now',
  },
  type: { type: 'string', multiple: true, value: 'TYPE', help: 'only show events of this type' },
  count: { type: 'string', value: 'N', help: 'stop after this many events' },
};

/** The `paystate tail` command, which prints events as they happen. */
export const tail: Command = {
  usage: 'tail [options]',
  about: `show the account's events as they happen, from the event feed
It's read-only, and shows a gap for events that it couldn't read. Press Ctrl-C to stop.`,
  options: {
    ...FEED_OPTIONS,
    values: {
      type: 'boolean',
      help: "also read each event's resource, with one more request each",
    },
  },
  async run(given, _, terminal) {
    const client = accountClient(given);
    for await (const event of followFeed(client, given, terminal)) {
      const value = given['values'] === true ? await readSubject(client, event) : undefined;
      terminal.emit({ event, ...(value !== undefined && { value }) });
      terminal.print(eventLine(event, value, terminal));
    }
    return EXIT.ok;
  },
};

/** Yields the feed events that match the options. Prints a warning for each gap. */
export function followFeed(
  client: Client,
  given: Given,
  terminal: Terminal,
): AsyncIterable<ServiceEvent> {
  const { isWanted, most } = wantedEvents(given);
  const feed = eventFeed(client, { from: textOption(given, 'from'), signal: terminal.signal });
  return (async function* () {
    let count = 0;
    for await (const { event, gap } of feed) {
      if (gap) {
        terminal.emit({ gap });
        terminal.complain(`events may be missing: ${gap.reason}`);
      } else if (isWanted(event)) {
        yield event;
        count += 1;
        if (count >= most) return;
      }
    }
  })();
}

/**
 * Reads `--type` and `--count`. Rejects unknown event types, because events of an unknown type
 * never arrive.
 */
export function wantedEvents(given: Given): {
  isWanted(event: ServiceEvent): boolean;
  readonly most: number;
} {
  const types = listOption(given, 'type');
  const stranger = types.find((type) => !Object.hasOwn(eventTypes, type));
  if (stranger !== undefined)
    throw new UsageError(
      `--type: there is no event type "${stranger}"; use one of ${Object.keys(eventTypes).join(', ')}`,
    );
  return {
    isWanted: ({ eventType }) => types.length === 0 || types.includes(eventType),
    most: countOption(given, 'count', 1_000_000) ?? Infinity,
  };
}

const resources = Object.values<ResourceModule>(registry).map(({ resource }) => resource);

/** Reads the resource that an event is about. Resolves to `undefined` if it can't be read. */
async function readSubject(
  client: Client,
  { eventType, data: { entityId } }: ServiceEvent,
): Promise<unknown> {
  const subject = (eventTypes as Readonly<Record<string, string>>)[eventType];
  const resource = resources.find(({ name }) => name === subject);
  return resource?.read && unlessRefused(resource.read(client, entityId, {}));
}

export function eventLine(
  { created, eventType, data: { entityId, changes = [] } }: ServiceEvent,
  value: unknown,
  { style }: Pick<Terminal, 'style'>,
): string {
  const { state, amount } = (value ?? {}) as { readonly state?: string; readonly amount?: Money };
  return [
    style('dim', created.slice(11, 19)),
    style('cyan', eventType.padEnd(32)),
    entityId,
    ...(state === undefined ? [] : [style('bold', state)]),
    ...(amount === undefined ? [] : [`${amount.amount} ${amount.currency}`]),
    ...(changes.length > 0 ? [style('dim', changes.join(','))] : []),
  ].join(' ');
}
