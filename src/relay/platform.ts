import type { DurableStorage, ObjectState, ObjectStub } from '../core/platform.ts';

export type { ObjectStub };

// The parts of the platform that the relay uses besides storage. They're defined by shape, so no
// platform types are needed.

/** A page's open WebSocket. It stays open while its object hibernates. */
export interface LiveSocket {
  /** Sends a string to the page. Throws if the socket is closed. */
  send(text: string): void;
  /** Closes the socket with a code from RFC 6455 7.4. */
  close(code?: number, reason?: string): void;
  /**
   * Attaches a value to the socket. The platform restores the value after the object has
   * hibernated.
   */
  serializeAttachment(value: unknown): void;
  /** Returns the last value passed to `serializeAttachment`. */
  deserializeAttachment(): unknown;
}

/** The state of an object that has sockets and can delete all its data. */
export interface DurableObjectContext extends ObjectState {
  /** The object's storage. `deleteAll` deletes everything. */
  readonly storage: DurableStorage & { deleteAll(): Promise<void> };
  /** Passes a socket to the platform, which keeps it open while the object hibernates. */
  acceptWebSocket(socket: LiveSocket): void;
  /** Returns all accepted sockets that are open. */
  getWebSockets(): LiveSocket[];
  /** Sets the only message that the platform answers without waking the object. */
  setWebSocketAutoResponse(pair: unknown): void;
}

/**
 * A stub, or a function that returns one. Once its object has been aborted, a stub fails forever,
 * even if the object is available again. Code that outlives a request therefore needs a new stub
 * for each request.
 */
export type StubSource = ObjectStub | (() => ObjectStub);

export function findStub(source: StubSource): ObjectStub {
  return typeof source === 'function' ? source() : source;
}

/** A namespace for the objects of one class. */
export interface ObjectNamespace {
  /** Returns the id for a name. The same name always refers to the same object. */
  idFromName(name: string): unknown;
  /** Returns a stub for an id without sending a request. */
  get(id: unknown): ObjectStub;
}

interface SocketGlobals {
  readonly WebSocketPair: new () => { readonly 0: unknown; readonly 1: LiveSocket };
  readonly WebSocketRequestResponsePair: new (request: string, response: string) => unknown;
}

const platform = (): SocketGlobals => globalThis as unknown as SocketGlobals;

export function newSocket(): { readonly page: unknown; readonly own: LiveSocket } {
  const pair = new (platform().WebSocketPair)();
  return { page: pair[0], own: pair[1] };
}

export function autoResponse(request: string, response: string): unknown {
  return new (platform().WebSocketRequestResponsePair)(request, response);
}

/** Creates the response with status 101 that gives the page its end of the WebSocket. */
export function upgrade(page: unknown, protocol: string): Response {
  const init = { status: 101, webSocket: page, headers: { 'sec-websocket-protocol': protocol } };
  return new Response(null, init);
}

/** How late an alarm must be to count as lost, in milliseconds. */
const LOST = 120_000;

/** Sets an object's alarm if the alarm was lost or isn't set to fire by `at`. */
export async function armBy(storage: DurableStorage, at: number, now: number): Promise<void> {
  const set = await storage.getAlarm();
  if (set === null || set > at || set < now - LOST) await storage.setAlarm(at);
}
