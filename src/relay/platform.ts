import type { DurableStorage, ObjectState, ObjectStub } from '../core/platform.ts';

export type { ObjectStub };

// The parts of the platform that the relay uses besides storage, by shape alone.

/** An open socket of a page that outlives the sleep of its object. */
export interface LiveSocket {
  /** Sends a text to the page; throws where the socket is closed. */
  send(text: string): void;
  /** Closes the socket, with a code of RFC 6455 7.4. */
  close(code?: number, reason?: string): void;
  /** Keeps a value with the socket, which the platform restores after the object has slept. */
  serializeAttachment(value: unknown): void;
  /** The value that was kept last with `serializeAttachment`. */
  deserializeAttachment(): unknown;
}

/** The state of an object that holds sockets and can be forgotten as a whole. */
export interface DurableObjectContext extends ObjectState {
  /** Storage of the object; `deleteAll` forgets all of it. */
  readonly storage: DurableStorage & { deleteAll(): Promise<void> };
  /** Hands a socket to the platform, which keeps it open while the object sleeps. */
  acceptWebSocket(socket: LiveSocket): void;
  /** All sockets that were accepted and are not closed. */
  getWebSockets(): LiveSocket[];
  /** Sets the one message that the platform answers by itself, without waking the object. */
  setWebSocketAutoResponse(pair: unknown): void;
}

/**
 * The way to an object, or what makes one. A stub whose object was aborted fails for ever, though
 * the object is there again: what lives longer than a request takes a new one for each call.
 */
export type StubSource = ObjectStub | (() => ObjectStub);

export function stubOf(source: StubSource): ObjectStub {
  return typeof source === 'function' ? source() : source;
}

/** The way to the objects of a class, by their names. */
export interface ObjectNamespace {
  /** The id that belongs to a name: the same name gives the same object. */
  idFromName(name: string): unknown;
  /** The way to the object with this id; nothing is sent yet. */
  get(id: unknown): ObjectStub;
}

interface SocketGlobals {
  readonly WebSocketPair: new () => { readonly 0: unknown; readonly 1: LiveSocket };
  readonly WebSocketRequestResponsePair: new (request: string, response: string) => unknown;
}

const platform = (): SocketGlobals => globalThis as unknown as SocketGlobals;

/** Both ends of a new socket. */
export function newSocket(): { readonly page: unknown; readonly own: LiveSocket } {
  const pair = new (platform().WebSocketPair)();
  return { page: pair[0], own: pair[1] };
}

/** A response that the platform gives without waking the object. */
export function autoResponse(request: string, response: string): unknown {
  return new (platform().WebSocketRequestResponsePair)(request, response);
}

/** The response, of status 101, that hands a page its end of a socket. */
export function upgrade(page: unknown, protocol: string): Response {
  const init = { status: 101, webSocket: page, headers: { 'sec-websocket-protocol': protocol } };
  return new Response(null, init);
}

/** An alarm this much behind its time counts as lost, milliseconds. */
const LOST = 120_000;

/** Sets the object's one alarm where it does not ring by `at`, or is lost. */
export async function armBy(storage: DurableStorage, at: number, now: number): Promise<void> {
  const set = await storage.getAlarm();
  if (set === null || set > at || set < now - LOST) await storage.setAlarm(at);
}
