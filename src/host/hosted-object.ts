import type { Clock } from '../core/time/index.ts';
import type { DurableObjectContext } from '../relay/index.ts';
import type { Alarms } from './alarms.ts';
import type { HostedObjectMethods, MakeObject } from './model.ts';
import { ObjectAlarm } from './object-alarm.ts';
import { ObjectStorage } from './object-storage.ts';
import type { PageSocket } from './page-socket.ts';
import { hostedSockets, type Pong } from './socket-maker.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** One object: made when it is first asked or its alarm rings. */
export class HostedObject {
  readonly #alarm: ObjectAlarm;
  readonly #open: () => SqliteDatabase;
  readonly #make: MakeObject;
  readonly #sockets = new Set<PageSocket>();
  #made: HostedObjectMethods | undefined;
  #pong: Pong | undefined;

  constructor(
    name: string,
    { alarms, clock }: { readonly alarms: Alarms; readonly clock: Clock },
    open: () => SqliteDatabase,
    make: MakeObject,
  ) {
    this.#open = open;
    this.#make = make;
    this.#alarm = new ObjectAlarm(name, alarms, clock, async () => this.#object().alarm?.());
    this.#alarm.start();
  }

  async fetch(input: string | Request, init?: RequestInit): Promise<Response> {
    return this.#object().fetch(new Request(input, init));
  }

  #object(): HostedObjectMethods {
    return (this.#made ??= this.#make(this.#context()));
  }

  #context(): DurableObjectContext {
    return {
      storage: new ObjectStorage(this.#open(), this.#alarm),
      sockets: hostedSockets,
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
          void this.#object()
            .webSocketMessage?.(own, text)
            .catch(() => own.close(1011));
      },
      close: (own) => {
        this.#sockets.delete(socket);
        void this.#object()
          .webSocketClose?.(own)
          .catch(() => {});
      },
    });
  }
}
