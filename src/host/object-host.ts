import { badInput } from '../core/errors/index.ts';
import { type Clock, systemClock } from '../core/time.ts';
import type { ObjectNamespace } from '../relay/index.ts';
import { Alarms } from './alarms.ts';
import { HostedObject } from './hosted-object.ts';
import type { MakeObject, ObjectHost, ObjectHostOptions } from './model.ts';
import { OpenFiles } from './open-files.ts';
import { SharedObjects } from './shared/shared-objects.ts';
import type { SqliteDatabase } from './sqlite.ts';

const OWN_DATABASE = 'host';

/**
 * Runs classes that were written for Durable Objects in this process: one object for each name,
 * with a SQLite database of its own, one alarm that outlives a restart, and the sockets of its
 * pages. One process at a time may have the databases. They end with the process, which may be
 * killed. With `postgresql` several processes have the objects together: each lives in one of them,
 * on a database in memory, and all that it writes is in PostgreSQL before a page or the service
 * hears of it.
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
  const classOf = (name: string): Name => name.slice(0, name.indexOf('/')) as Name;
  const makerOf = (name: string): MakeObject | undefined =>
    names.includes(classOf(name)) ? classes[classOf(name)] : undefined;
  const parts = { clock, makerOf, open: (name: string) => open(fileNameOf(name)) };
  const { ask, close } = options.postgresql
    ? sharedObjects({ ...parts, options: { ...options, postgresql: options.postgresql } })
    : ownObjects(parts);
  const namespace = (own: Name): ObjectNamespace => ({
    idFromName: (name) => `${own}/${name}`,
    get: (id) => ({ fetch: async (input, init) => ask(id as string, new Request(input, init)) }),
  });
  const objects = names.map((name) => [name, namespace(name)] as const);
  return { objects: Object.fromEntries(objects) as Record<Name, ObjectNamespace>, close };
}

interface ObjectsParts {
  readonly clock: Clock;
  readonly open: (name: string) => SqliteDatabase;
  readonly makerOf: (name: string) => MakeObject | undefined;
}

/** How objects are asked, and how this process lets them go. */
interface Objects {
  ask(name: string, request: Request): Promise<Response>;
  close(): Promise<void>;
}

function sharedObjects(parts: ConstructorParameters<typeof SharedObjects>[0]): Objects {
  const shared = new SharedObjects(parts);
  return { ask: (name, request) => shared.fetch(name, request), close: () => shared.close() };
}

/** All objects live in this process, each in a database of its own. */
function ownObjects({ clock, open, makerOf }: ObjectsParts): Objects {
  const alarms = new Alarms(open(OWN_DATABASE));
  const files = new OpenFiles(open);
  const living = new Map<string, HostedObject>();
  const objectOf = (name: string): HostedObject => {
    const known = living.get(name);
    if (known) return known;
    const parts = { alarms, clock, database: () => files.of(name), make: makerOf(name)! };
    const object = new HostedObject(name, parts);
    living.set(name, object);
    return object;
  };
  for (const name of alarms.objects()) if (makerOf(name)) objectOf(name);
  return {
    ask: (name, request) => objectOf(name).fetch(request),
    async close() {
      for (const object of living.values()) object.end();
    },
  };
}

/** Letters, digits, `-` and `_` stay; every other character becomes `.` and its number. */
function fileNameOf(name: string): string {
  return name.replace(/[^\w-]/g, (character) => `.${character.codePointAt(0)!.toString(16)}.`);
}
