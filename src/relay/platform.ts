import type { DurableStorage, ObjectState, ObjectStub } from '../core/platform/index.ts';

export type { ObjectStub };

// What the relay uses of the platform beside storage, by shape alone.

/** An open socket of a page that outlives the sleep of its object. */
export interface LiveSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** The state of an object that holds sockets and can be forgotten as a whole. */
export interface DurableObjectContext extends ObjectState {
  readonly storage: DurableStorage & { deleteAll(): Promise<void> };
  acceptWebSocket(socket: LiveSocket): void;
  getWebSockets(): LiveSocket[];
  setWebSocketAutoResponse(pair: unknown): void;
}

/** The way to the objects of a class, by their names. */
export interface ObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): ObjectStub;
}

interface SocketGlobals {
  readonly WebSocketPair: new () => { readonly 0: unknown; readonly 1: LiveSocket };
  readonly WebSocketRequestResponsePair: new (request: string, response: string) => unknown;
}

const platform = (): SocketGlobals => globalThis as unknown as SocketGlobals;

/** Both ends of a new socket: the page's and ours. */
export function socketPair(): { readonly page: unknown; readonly own: LiveSocket } {
  const pair = new (platform().WebSocketPair)();
  return { page: pair[0], own: pair[1] };
}

/** A response that the platform gives by itself, without waking the object. */
export function autoResponse(request: string, response: string): unknown {
  return new (platform().WebSocketRequestResponsePair)(request, response);
}

/** The response that hands a page its end of a socket. */
export function upgradeResponse(page: unknown, protocol: string): Response {
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
