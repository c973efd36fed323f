import type { Clock } from '../core/time.ts';
import type { DurableObjectContext } from '../relay/index.ts';
import type { HostedObjectMethods, MakeObject } from './model.ts';
import { type AlarmTimes, ObjectAlarm } from './object-alarm.ts';
import { ObjectStorage } from './object-storage.ts';
import { BEGIN_AGAIN, type PageSocket } from './page-socket.ts';
import type { ObjectLog } from './shared/object-log.ts';
import { hostedSockets, type Pong } from './socket-maker.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** What an object of this process lives on. */
interface ObjectParts {
  readonly alarms: AlarmTimes;
  readonly clock: Clock;
  /** Asked at each use: a file may have been closed in between, and is opened again. */
  readonly database: () => SqliteDatabase;
  readonly make: MakeObject;
  /** Where several processes share it. */
  readonly log?: ObjectLog | undefined;
}

/** One object: made when it is first asked or its alarm rings. */
export class HostedObject {
  readonly #alarm: ObjectAlarm;
  readonly #parts: ObjectParts;
  readonly #sockets = new Set<PageSocket>();
  #made: HostedObjectMethods | undefined;
  #pong: Pong | undefined;
  #running = 0;
  #usedAt: number;

  constructor(name: string, parts: ObjectParts) {
    this.#parts = parts;
    const { alarms, clock } = parts;
    this.#usedAt = clock.now();
    this.#alarm = new ObjectAlarm(name, alarms, clock, () =>
      this.#use(async () => this.#object().alarm?.()),
    );
    this.#alarm.start();
  }

  /** What it responds waits until all that was written before is where it outlives the process. */
  async fetch(input: string | Request, init?: RequestInit): Promise<Response> {
    const response = await this.#use(() => this.#object().fetch(new Request(input, init)));
    await this.#parts.log?.flush();
    return response;
  }

  /** Since when it had no request and no page; absent while it has one. */
  get idleSince(): number | undefined {
    return this.#running > 0 || this.#sockets.size > 0 ? undefined : this.#usedAt;
  }

  /** It lives here no more: it hears and says nothing, and its pages open other sockets. */
  end(): void {
    this.#alarm.end();
    this.#parts.log?.end();
    for (const socket of this.#sockets) socket.close(BEGIN_AGAIN);
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#usedAt = this.#parts.clock.now();
    }
  }

  #object(): HostedObjectMethods {
    this.#parts.log?.check();
    return (this.#made ??= this.#parts.make(this.#context()));
  }

  #context(): DurableObjectContext {
    const { database, log } = this.#parts;
    database(); // one that cannot be opened makes no object
    return {
      storage: new ObjectStorage(database, this.#alarm, log),
      sockets: hostedSockets(log && (() => log.flush())),
      acceptWebSocket: (socket) => this.#accept(socket as PageSocket),
      getWebSockets: () => [...this.#sockets],
      setWebSocketAutoResponse: (pong) => void (this.#pong = pong as Pong),
    };
  }

  #accept(socket: PageSocket): void {
    this.#sockets.add(socket);
    socket.accept({
      message: (own, text) => {
        if (text === this.#pong?.request) own.send(this.#pong!.response);
        else
          this.#tell(
            (object) => object.webSocketMessage?.(own, text),
            () => own.close(1011),
          );
      },
      close: (own) => {
        this.#sockets.delete(socket);
        this.#usedAt = this.#parts.clock.now();
        this.#tell((object) => object.webSocketClose?.(own));
      },
    });
  }

  /** Tells the object of a page; the page does not wait for what comes of it. */
  #tell(
    work: (object: HostedObjectMethods) => Promise<void> | undefined,
    failed: () => void = () => {},
  ): void {
    this.#use(async () => work(this.#object())).catch(failed);
  }
}
