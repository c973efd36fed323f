// Checks of events: which come, in which order, and what they say.
import { queryOf, valueAt } from './json.mjs';
import { check, same } from './verdict.mjs';

/** All events about one thing, the oldest first. */
export const eventsOf = async (stage, id) => {
  const found = [];
  for (;;) {
    const query = queryOf({ $orderby: 'created asc', $top: 100, $skip: found.length });
    const { items, count } = await stage.get('/v1/events', { query });
    found.push(...items);
    if (found.length >= count || items.length === 0) break;
  }
  return found.filter(({ data }) => data.entityId === id);
};

/** The types of the events that a thing in this state has had. */
export const emits =
  (thing, id, ...types) =>
  async (stage) => {
    const made = await stage.make(thing);
    const events = await eventsOf(stage, valueAt(made, id));
    same(
      types,
      events.map(({ eventType }) => eventType),
    );
  };

/** At least these, in this order. */
export const emitsAmong =
  (thing, id, ...types) =>
  async (stage) => {
    const made = await stage.make(thing);
    const events = (await eventsOf(stage, valueAt(made, id))).map(({ eventType }) => eventType);
    const places = types.map((type) => events.indexOf(type));
    const inOrder = places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0));
    check(inOrder, types, events);
  };

/** An event of this type names state as what changed. */
export const changesState = (thing, id, type) => async (stage) => {
  const made = await stage.make(thing);
  const event = (await eventsOf(stage, valueAt(made, id))).find(
    ({ eventType }) => eventType === type,
  );
  check(event, type, 'none');
  same(['state'], event.data.changes);
};

/** A request adds no event. */
export const addsNone = (thing) => async (stage) => {
  await stage.make(thing);
  const count = async () => (await stage.get('/v1/events', { query: '?$top=1' })).count;
  const before = await count();
  await stage.make(thing);
  same(before, await count());
};

/** Whether an event is there after so many days. */
export const keptFor = (days, isThere) => async (stage) => {
  const { invoiceId } = await stage.make('invoice');
  await stage.world.advance(days * 86_400_000);
  check(
    (await eventsOf(stage, invoiceId)).length > 0 === isThere,
    `${isThere} after ${days} days`,
    !isThere,
  );
};

/** The event of a receive names the receive too. */
export const namesReceive = (thing, type) => async (stage) => {
  const { receiveId, receiveRequestId } = await stage.make(thing);
  const events = await eventsOf(stage, receiveRequestId);
  const event = events.find(({ eventType }) => eventType === type);
  same(receiveId, event?.data.receiveId);
};

/** Nothing of the thing itself stands in its events. */
export const carriesNoValues = () => async (stage) => {
  const { data } = await stage.make('updatedEvent');
  const other = Object.keys(data).filter((name) => !['entityId', 'changes'].includes(name));
  same([], other);
};
