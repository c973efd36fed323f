import { badInput } from '../core/errors/index.ts';
import { systemClock } from '../core/time/index.ts';
import type { ObjectNamespace } from '../relay/index.ts';
import { Alarms } from './alarms.ts';
import { HostedObject } from './hosted-object.ts';
import type { ObjectHost, ObjectHostOptions } from './model.ts';

const OWN_DATABASE = 'host';

/**
 * Runs classes that were written for Durable Objects in this process: one object for each name, with
 * a SQLite database of its own, one alarm that outlives a restart, and the sockets of its pages.
 * One process at a time may have the databases. They end with the process, which may be killed.
 *
 * @param options how a database is opened, and what makes the objects of each class
 * @throws InputError where there is no class, or `open` is no function
 * @example
 * const { objects } = createObjectHost({
 *   open: (name) => openDatabase(`data/${name}.sqlite`),
 *   classes: { CLOCKS: () => ({ fetch: async () => new Response('noon') }) },
 * });
 * const clock = objects.CLOCKS.get(objects.CLOCKS.idFromName('main'));
 * const answer = await clock.fetch('https://object/time');
 */
export function createObjectHost<Name extends string>(
  options: ObjectHostOptions<Name>,
): ObjectHost<Name> {
  const { open, classes, clock = systemClock } = options;
  if (typeof open !== 'function')
    throw badInput('open', 'must be a function from the name of an object to its SQLite database');
  const names = Object.keys(classes ?? {}) as Name[];
  if (names.length === 0) throw badInput('classes', 'must name at least one class');
  const alarms = new Alarms(open(OWN_DATABASE));
  const living = new Map<string, HostedObject>();
  const objectOf = (name: string): HostedObject => {
    const known = living.get(name);
    if (known) return known;
    const make = classes[name.slice(0, name.indexOf('/')) as Name];
    const object = new HostedObject(name, { alarms, clock }, () => open(fileNameOf(name)), make);
    living.set(name, object);
    return object;
  };
  for (const name of alarms.objects()) if (classes[classOf(name) as Name]) objectOf(name);
  const namespace = (own: Name): ObjectNamespace => ({
    idFromName: (name) => `${own}/${name}`,
    get: (id) => ({ fetch: async (input, init) => objectOf(id as string).fetch(input, init) }),
  });
  const objects = names.map((name) => [name, namespace(name)] as const);
  return { objects: Object.fromEntries(objects) as Record<Name, ObjectNamespace> };
}

function classOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

/** Letters, digits, `-` and `_` stay; every other character becomes `.` and its number. */
function fileNameOf(name: string): string {
  return name.replace(/[^\w-]/g, (character) => `.${character.codePointAt(0)!.toString(16)}.`);
}
