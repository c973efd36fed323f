import { type Clock, systemClock } from '../../core/time.ts';
import { BEGIN_AGAIN, PageSocket } from '../page-socket.ts';
import { opensSocket, upgradeTo } from '../socket-maker.ts';
import { RemoteSocket, type SocketWord } from './remote-socket.ts';
import { requestOf, responseOf, type Wire, wireOf } from './wire.ts';

/** A process that does not answer for so long is away, milliseconds. */
const TIMEOUT = 30_000;
/** Longest text of a page that is passed on; a room closes a socket that says more. */
const LONGEST = 65_537;

/** A request for an object of another process. */
interface CallWord extends Wire {
  readonly call: number;
  readonly object: string;
  readonly url: string;
  readonly method: string;
  /** How a socket is called that may come of it. */
  readonly name: string;
}

interface ReplyWord extends Wire {
  readonly reply: number;
  /** Absent: this process does not have the object. */
  readonly status?: number | undefined;
}

/** Neither done nor begun: the object is not there. */
export class NotThere extends Error {}

interface LinkEvents {
  readonly send: (recipient: string, message: object) => void;
  /** Responds for an object of this process; throws `NotThere` where it has none of this name. */
  readonly respond: (object: string, request: Request) => Promise<Response>;
}

interface Pending {
  readonly peer: string;
  readonly resolve: (word: ReplyWord) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What a process asks of the others, and they of it: requests, and the sockets that come of them.
 */
export class Links {
  readonly #events: LinkEvents;
  readonly #clock: Clock = systemClock;
  readonly #calls: Map<number, Pending> = new Map();
  /** Sockets of pages of this process, whose objects are elsewhere. */
  readonly #pages: Map<string, { readonly peer: string; readonly socket: PageSocket }> = new Map();
  /** Sockets of objects of this process, whose pages are elsewhere. */
  readonly #remote: Map<string, { readonly peer: string; readonly socket: RemoteSocket }> =
    new Map();
  #number: number = 0;

  constructor(events: LinkEvents) {
    this.#events = events;
  }

  /** Asks an object of another process. */
  async ask(self: string, peer: string, object: string, request: Request): Promise<Response> {
    const call = ++this.#number;
    const name = `${self}/${call}`;
    const { url, method } = request;
    const wire = await wireOf(request);
    const reply = this.#replyTo(call, peer);
    this.#events.send(peer, { ...wire, call, object, url, method, name } satisfies CallWord);
    const word = await reply;
    if (word.status === undefined) throw new NotThere('this process does not have the object');
    if (word.status !== 101) return responseOf(word.status, word);
    return upgradeTo((connection) => this.#openPage(name, peer).connect(connection));
  }

  #replyTo(call: number, peer: string): Promise<ReplyWord> {
    return new Promise((resolve, reject) => {
      const late = () => this.#calls.get(call)?.reject(new Error('no answer in time'));
      const stop = this.#clock.after(TIMEOUT, late);
      const end = () => (this.#calls.delete(call), stop());
      this.#calls.set(call, {
        peer,
        resolve: (word) => (end(), resolve(word)),
        reject: (error) => (end(), reject(error)),
      });
    });
  }

  #openPage(name: string, peer: string): PageSocket {
    const say = (word: Omit<SocketWord, 'socket'>) => this.#say(peer, name, word);
    const socket = new PageSocket();
    this.#pages.set(name, { peer, socket });
    socket.accept({
      message: (_, text) => say({ text: typeof text === 'string' ? text.slice(0, LONGEST) : '' }),
      close: () => {
        if (this.#pages.delete(name)) say({ close: {} });
      },
    });
    return socket;
  }

  #say(peer: string, socket: string, word: Omit<SocketWord, 'socket'>): void {
    this.#events.send(peer, { ...word, socket } satisfies SocketWord);
  }

  /** Another process has said this. */
  hear(peer: string, message: unknown): void {
    const word = message as Partial<CallWord & ReplyWord & SocketWord>;
    if (word.call !== undefined) void this.#respond(peer, word as CallWord);
    else if (word.reply !== undefined) this.#calls.get(word.reply)?.resolve(word as ReplyWord);
    else if (word.socket !== undefined) this.#hearSocket(word as SocketWord);
  }

  async #respond(peer: string, word: CallWord): Promise<void> {
    const { call, object, url, method, name } = word;
    const reply = (status: number | undefined, wire: Wire) =>
      this.#events.send(peer, { ...wire, reply: call, status } satisfies ReplyWord);
    try {
      const response = await this.#events.respond(object, requestOf(url, method, word));
      if (!opensSocket(response)) return reply(response.status, await wireOf(response));
      reply(101, { headers: [] });
      const socket = new RemoteSocket((said) => {
        if (said.close) this.#remote.delete(name);
        this.#say(peer, name, said);
      });
      this.#remote.set(name, { peer, socket });
      response.connect(socket);
    } catch (thrown) {
      reply(thrown instanceof NotThere ? undefined : 503, { headers: [] });
    }
  }

  #hearSocket(word: SocketWord): void {
    const { socket: name, text, close } = word;
    const page = this.#pages.get(name);
    const remote = this.#remote.get(name);
    if (close) {
      this.#pages.delete(name);
      this.#remote.delete(name);
    }
    remote?.socket.hear(word);
    if (close) page?.socket.close(close.code, close.reason);
    else if (text !== undefined) page?.socket.send(text);
  }

  /** These processes may not hear this one any more; every one, where none is named. */
  cut(isGone: (peer: string) => boolean = () => true): void {
    for (const { peer, reject } of [...this.#calls.values()])
      if (isGone(peer)) reject(new Error('the process that has the object is gone'));
    for (const [name, { peer, socket }] of [...this.#pages])
      if (isGone(peer) && this.#pages.delete(name)) socket.close(BEGIN_AGAIN);
    for (const [name, { peer, socket }] of [...this.#remote])
      if (isGone(peer) && this.#remote.delete(name)) socket.hear({ socket: name, close: {} });
  }
}
