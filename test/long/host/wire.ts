// Ways to PostgreSQL that know its protocol: one on which no notification arrives, and a pool as PgBouncer is in transaction
// mode, because that program is not at hand everywhere.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const SSL_REQUEST = 80_877_103;
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const NOTIFICATION = 'A'.charCodeAt(0);

/** Whole messages of the protocol, whatever pieces they come in; the first of a client has no type. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #prefix: 0 | 1;

  constructor(hasStart: boolean) {
    this.#prefix = hasStart ? 0 : 1;
  }

  read(data: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, data]);
    const found: Buffer[] = [];
    while (this.#rest.length >= this.#prefix + 4) {
      const length = this.#prefix + this.#rest.readInt32BE(this.#prefix);
      if (this.#rest.length < length) break;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (this.#prefix === 0 && message.readInt32BE(4) !== SSL_REQUEST) this.#prefix = 1;
      found.push(message);
    }
    return found;
  }
}

/** What asks for the rows that pages show, and nothing else does. */
const POLL = 'i.version > given.version';

/** A way to PostgreSQL that counts. */
export interface Way {
  readonly port: number;
  /** How often a client has asked for the rows that its pages show. */
  readonly polls: () => number;
  /** How often a client began to listen, or: ran a transaction on another connection than before. */
  readonly times: () => number;
  close(): void;
}

/** A way on which no notification arrives, though every connection stays open. */
export async function openDeafWay(hostname: string, serverPort: number): Promise<Way> {
  const sockets = new Set<Socket>();
  let [polls, listens] = [0, 0];
  const server = createServer((near) => {
    const far = connect(serverPort, hostname);
    const messages = new Messages(false);
    for (const one of [near, far]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => (near.destroy(), far.destroy()));
    }
    near.on('data', (data) => {
      if (data.includes(POLL)) polls += 1;
      if (data.includes('LISTEN ')) listens += 1;
      far.write(data);
    });
    far.on('data', (data) => {
      for (const message of messages.read(data))
        if (message[0] !== NOTIFICATION) near.write(message);
    });
  }).listen(0, hostname);
  await once(server, 'listening');
  return {
    port: (server.address() as { readonly port: number }).port,
    ...{ polls: () => polls, times: () => listens },
    close: () => (server.close(), sockets.forEach((socket) => socket.destroy())),
  };
}

/** A connection to the server; `hear` is given its messages. */
interface Line {
  readonly socket: Socket;
  hear: (message: Buffer) => void;
}

function openLine(hostname: string, port: number, start: Buffer): Promise<Line> {
  const line: Line = { socket: connect(port, hostname), hear: () => {} };
  const messages = new Messages(false);
  line.socket.write(start);
  return new Promise((resolve, reject) => {
    line.hear = (message) => message[0] === READY && resolve(line);
    line.socket.on('data', (data) => messages.read(data).forEach((message) => line.hear(message)));
    line.socket.on('error', reject);
  });
}

/** As a server says it to a client that has come in: OK, and ready. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, READY, 0, 0, 0, 5, IDLE]);

/**
 * A client has a connection of the server for one transaction only, and the next one runs on another.
 * So LISTEN hears nothing, and what a session has set, or has prepared by a name, is gone or is
 * another client's.
 *
 * @param size connections to the server, whose turns go round
 */
export async function openTransactionPool(
  hostname: string,
  serverPort: number,
  size: number,
): Promise<Way> {
  const idle: Line[] = [];
  const waiting: ((line: Line) => void)[] = [];
  const sockets = new Set<Socket>();
  let [opened, moved, polls] = [0, 0, 0];
  const give = (line: Line): void => {
    line.hear = () => {}; // a notification for a client that has no connection is lost
    const next = waiting.shift();
    if (next) next(line);
    else idle.push(line);
  };
  const take = async (start: Buffer): Promise<Line> => {
    if (opened < size) {
      opened += 1;
      const line = await openLine(hostname, serverPort, start);
      sockets.add(line.socket);
      return line;
    }
    return idle.shift() ?? new Promise((resolve) => void waiting.push(resolve));
  };
  const server = createServer((near) => {
    const messages = new Messages(true);
    let start: Buffer | undefined;
    let [line, last]: (Line | undefined)[] = [];
    let pending = 0;
    let turn: Promise<void> = Promise.resolve();
    const onMessage = (message: Buffer): void => {
      if (message[0] === NOTIFICATION) return; // the client of this transaction did not ask for it
      near.write(message);
      if (message[0] !== READY) return;
      pending -= 1;
      if (pending > 0 || message[5] !== IDLE || !line) return;
      const free = line;
      line = undefined;
      give(free);
    };
    const pass = async (message: Buffer): Promise<void> => {
      if (!start) {
        if (message.readInt32BE(4) === SSL_REQUEST) return void near.write('N');
        start = Buffer.from(message);
        return void near.write(WELCOME);
      }
      if (message.includes(POLL)) polls += 1;
      if (message[0] === TERMINATE) return void near.end();
      if (message[0] === QUERY || message[0] === SYNC) pending += 1;
      if (!line) {
        line = await take(start);
        if (last && last !== line) moved += 1;
        last = line;
        line.hear = onMessage;
      }
      line.socket.write(message);
    };
    sockets.add(near);
    near.on('error', () => {});
    near.on('close', () => line?.socket.destroy()); // in the middle of a transaction
    near.on('data', (data) => {
      for (const message of messages.read(data)) turn = turn.then(() => pass(message));
    });
  }).listen(0, hostname);
  await once(server, 'listening');
  return {
    port: (server.address() as { readonly port: number }).port,
    ...{ polls: () => polls, times: () => moved },
    close: () => (server.close(), sockets.forEach((socket) => socket.destroy())),
  };
}
