import type { Clock } from '../core/time.ts';
import type { DurableObjectContext, ObjectNamespace } from '../relay/index.ts';
import type { ServerSocket } from './page-socket.ts';
import type { PostgresqlDriver } from './shared/driver.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** What a host asks of an object, as the platform of Durable Objects does. */
export interface HostedObjectMethods {
  /** Responds to a request of another object, or of the server. */
  fetch(request: Request): Promise<Response>;
  /** Rings at the time that was set with `setAlarm`; where it rejects, it rings again. */
  alarm?(): Promise<void>;
  /** A page has sent a message. */
  webSocketMessage?(socket: unknown, text: unknown): Promise<void>;
  /** A page has closed its socket. */
  webSocketClose?(socket: unknown): Promise<void>;
}

/** Makes an object, as `new` of its class does. */
export type MakeObject = (ctx: DurableObjectContext) => HostedObjectMethods;

/** How several processes share objects. */
export interface SharedHostOptions {
  /** The database that they share; absent: all objects are of this process alone. */
  readonly postgresql?: PostgresqlDriver | undefined;
  /** What the names of the tables begin with, `paystate` unless said: `[a-z][a-z0-9_]*`. */
  readonly prefix?: string | undefined;
  /**
   * After so many milliseconds in which a process has not said that it lives, others take what it
   * had; 5,000. The same in all of them.
   */
  readonly ownerTimeout?: number | undefined;
}

/** What a host needs. */
export interface ObjectHostOptions<Name extends string> extends SharedHostOptions {
  /**
   * Opens the SQLite database of an object by its name, of which every character fits a file's
   * name. `host` is the name of the host's own, which holds the alarms. A hundred files stay open
   * at most: the one that was used longest ago is closed, and opened again by this function. With
   * `postgresql` it has to be a new database in memory each time, and what is bound texts, finite
   * numbers or null.
   */
  readonly open: (name: string) => SqliteDatabase;
  /** What makes the objects of each class. */
  readonly classes: Readonly<Record<Name, MakeObject>>;
  /** Time for alarms; the machine's own. */
  readonly clock?: Clock | undefined;
  /** With `postgresql`: a process is gone, and no process has the objects that it had. */
  readonly onProcessGone?: (() => void) | undefined;
}

/** Objects that live in this process. */
export interface ObjectHost<Name extends string> {
  /** The way to the objects of each class. */
  readonly objects: Readonly<Record<Name, ObjectNamespace>>;
  /** Ends all of them here; with `postgresql` the other processes take them at once. */
  close(): Promise<void>;
}

/** A response, and what becomes of it where it opens a socket. */
export interface SocketResponse extends Response {
  /** Gives the page's end its connection. */
  connect(socket: ServerSocket): void;
}
