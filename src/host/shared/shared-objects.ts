import type { Clock } from '../../core/time.ts';
import { HostedObject } from '../hosted-object.ts';
import type { MakeObject, SharedHostOptions } from '../model.ts';
import type { SqliteDatabase } from '../sqlite.ts';
import type { PostgresqlDriver } from './driver.ts';
import { ObjectLog } from './object-log.ts';
import { Links, NotThere } from './links.ts';
import { Mail } from './mail.ts';
import { Membership } from './membership.ts';
import { type Beat, type Claim, SharedTables } from './tables.ts';

/** An object without a request or a page for so long goes out of memory, milliseconds. */
const IDLE = 600_000;
const LEASE = 5_000;

/** An object that lives in this process. */
interface Living {
  readonly claim: Claim;
  readonly log: ObjectLog;
  readonly object: HostedObject;
}

interface SharedParts {
  readonly options: SharedHostOptions & {
    readonly postgresql: PostgresqlDriver;
    readonly onProcessGone?: (() => void) | undefined;
  };
  readonly clock: Clock;
  readonly open: (name: string) => SqliteDatabase;
  /** What makes an object; absent for a name of no class. */
  readonly makerOf: (name: string) => MakeObject | undefined;
}

/**
 * The objects of several processes that share a PostgreSQL database. Each object lives in one of
 * them: in the first one that asks it, until that process ends or is late. The others pass on what
 * they are asked, and what the sockets of their pages say.
 */
export class SharedObjects {
  readonly #parts: SharedParts;
  readonly #tables: SharedTables;
  readonly #mail: Mail;
  readonly #links: Links;
  readonly #membership: Membership;
  readonly #living: Map<string, Living> = new Map();
  readonly #opening: Map<string, Promise<HostedObject | string>> = new Map();
  /** Who had an object when it was last asked for. */
  readonly #owners: Map<string, string> = new Map();
  #peers: ReadonlySet<string> = new Set();

  constructor(parts: SharedParts) {
    const { options, clock } = parts;
    const { postgresql, prefix, ownerTimeout = LEASE } = options;
    this.#parts = parts;
    this.#tables = new SharedTables(postgresql, { prefix });
    this.#links = new Links({
      send: (recipient, message) => this.#mail.send(recipient, message),
      respond: (name, request) => this.#respond(name, request),
    });
    this.#mail = new Mail(this.#tables, postgresql, {
      message: (sender, message) => this.#links.hear(sender, message),
      failed: (recipient) => this.#links.cut((peer) => peer === recipient),
    });
    this.#membership = new Membership(this.#tables, ownerTimeout, clock, {
      joining: (id) => this.#mail.open(id),
      beat: (beat) => this.#beat(beat),
      lost: () => this.#endAll(),
    });
  }

  /** Asks an object, wherever it is. */
  async fetch(name: string, request: Request): Promise<Response> {
    const copy = request.clone();
    try {
      return await this.#ask(name, request);
    } catch (thrown) {
      if (!(thrown instanceof NotThere)) throw thrown;
      return this.#ask(name, copy); // it was where it is no more, and did nothing there
    }
  }

  /** Leaves all objects to the others. */
  async close(): Promise<void> {
    await this.#membership.leave();
    this.#mail.close();
  }

  async #ask(name: string, request: Request): Promise<Response> {
    const self = await this.#membership.join();
    const place = await this.#placeOf(name, self);
    if (typeof place !== 'string') return place.fetch(request);
    try {
      return await this.#links.ask(self, place, name, request);
    } catch (thrown) {
      this.#owners.delete(name);
      throw thrown;
    }
  }

  /** The object, where it lives here; else the process that has it. */
  async #placeOf(name: string, self: string): Promise<HostedObject | string> {
    const known = this.#living.get(name)?.object ?? this.#owners.get(name);
    if (known !== undefined) return known;
    const opening =
      this.#opening.get(name) ?? this.#open(name, self).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return opening;
  }

  async #open(name: string, self: string): Promise<HostedObject | string> {
    const make = this.#parts.makerOf(name);
    if (!make) throw new Error(`no class makes ${name}`);
    const claim = await this.#tables.claim(name, self);
    if (claim.owner !== self) {
      this.#owners.set(name, claim.owner);
      return claim.owner;
    }
    const living = await this.#load(claim, make);
    if (this.#membership.id !== self) throw new Error('this process was late');
    this.#living.set(name, living);
    return living.object;
  }

  async #load(claim: Claim, make: MakeObject): Promise<Living> {
    const { clock, open } = this.#parts;
    const { name } = claim;
    const database = open(name);
    const log = new ObjectLog({
      tables: this.#tables,
      claim,
      database,
      isOwn: () => this.#membership.id === claim.owner,
      onLost: () => this.#end(living),
    });
    await log.replay();
    const alarms = {
      get: () => log.alarm,
      set: (_: string, at: number) => void (log.alarm = at),
      clear: () => void (log.alarm = null),
    };
    const parts = { alarms, clock, database: () => database, make, log };
    const living: Living = { claim, log, object: new HostedObject(name, parts) };
    return living;
  }

  async #respond(name: string, request: Request): Promise<Response> {
    const place = await this.#placeOf(name, await this.#membership.join());
    if (typeof place === 'string') throw new NotThere(name);
    return place.fetch(request);
  }

  #beat({ living, due }: Beat): void {
    this.#mail.check();
    const isGone = (peer: string) => !living.has(peer);
    this.#links.cut(isGone);
    for (const [name, owner] of [...this.#owners]) if (isGone(owner)) this.#owners.delete(name);
    const isAnyGone = [...this.#peers].some(isGone);
    this.#peers = living;
    for (const name of due) this.#wake(name);
    if (isAnyGone) this.#parts.options.onProcessGone?.();
    for (const one of [...this.#living.values()]) this.#rest(one);
  }

  /**
   * An object without requests goes out of memory; where nothing is left of it, out of the database
   * too.
   */
  #rest(living: Living): void {
    const { object, log, claim } = living;
    const now = this.#parts.clock.now();
    const { idleSince = now } = object;
    const isEmpty = log.isEmpty && idleSince < now;
    if (!isEmpty && idleSince > now - IDLE) return;
    this.#end(living);
    if (isEmpty) this.#tables.forget(claim).catch(() => {}); // a row that takes little room
  }

  /** An alarm that is due rings when its object is here. */
  #wake(name: string): void {
    const { id } = this.#membership;
    if (id !== undefined && !this.#living.has(name) && this.#parts.makerOf(name))
      this.#placeOf(name, id).catch(() => {}); // with the next beat
  }

  /** Ends it here; this process still has it, and makes it anew when it is asked or rings. */
  #end(living: Living): void {
    const { name } = living.claim;
    living.object.end();
    if (this.#living.get(name) === living) this.#living.delete(name);
  }

  #endAll(): void {
    for (const one of [...this.#living.values()]) this.#end(one);
    this.#owners.clear();
    this.#links.cut();
    this.#parts.options.onProcessGone?.();
  }
}
