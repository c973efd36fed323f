import { Alarm } from '../../core/time/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import type { Dial, Socket, SocketClass } from '../../core/platform/index.ts';
import { isolated } from '../../core/watch/index.ts';
import { isOf } from '../entry.ts';
import type { ChangeSource, SourceListener } from './source.ts';

const PROTOCOL = 'paystate.v1';

/** Time between two pings, milliseconds. */
const PING_EVERY = 25_000;
/** Pings without a response after which a socket counts as dead; counted, for a page's timers may be late. */
const MAX_UNANSWERED = 2;
/** The last of them, and the one that a page sends when it comes back, has this long for its response, milliseconds. */
const ANSWER_WITHIN = 5_000;
/** Longest time until the next try, milliseconds; the real one is random below. */
const MAX_DELAY = 30_000;

/** What the relay covers is read this often at most, and half an hour on, this often at least; milliseconds. */
const SAFETY_PERIOD = 60_000;
const LONG_SAFETY_PERIOD = 300_000;
const HALF_HOUR = 1_800_000;

/** A message of the relay as far as it is used: which invoice has changed, and the number of the message. */
interface Message {
  readonly epoch: string;
  readonly seq: number;
  readonly value?: { readonly invoiceId: string };
}

/**
 * The shop's relay as a source: one socket, opened at once. `changed` is called with each invoice that a message is about;
 * `resumed` when the socket was opened or lost, for something may have been missed. It covers the invoice that the open
 * socket has spoken of.
 */
export function relaySource(
  connection: Connection,
  dial: Dial,
  listener: SourceListener,
): ChangeSource {
  const { baseUrl, clock, random } = connection[internals];
  let socket: Socket | undefined;
  let token: string | undefined; // the socket was opened with it, or was given it later
  let subject: string | undefined; // the invoice of the latest message: a token is for one
  let newest: { readonly epoch: string; readonly seq: number } | null = null; // of any socket
  let unanswered = 0;
  let tries = 1; // 0 while the socket is open, else the number of the next try
  let latest = 0; // number of the latest try: older ones do nothing any more
  const alarm = new Alarm(clock, ring);

  function ringIn(ms: number): void {
    alarm.set(clock.monotonic() + ms);
  }

  function send(message: unknown): void {
    socket!.send(JSON.stringify(message));
  }

  function stop(): void {
    const last = socket;
    latest++;
    tries++;
    alarm.stop();
    socket = undefined;
    last?.close();
  }

  function open(): void {
    const own = ++latest;
    const ifLatest =
      <T>(act: (event: T) => void) =>
      (event: T) =>
        void (own === latest && act(event));
    unanswered = MAX_UNANSWERED;
    ringIn(PING_EVERY);
    dial
      .token()
      .then(
        ifLatest((given) => {
          const { WebSocket: usual } = globalThis as unknown as { readonly WebSocket: SocketClass };
          token = given;
          socket = new (dial.given ?? usual)(`${baseUrl.replace('http', 'ws')}/live`, [
            PROTOCOL,
            token ?? '',
          ]);
          socket.addEventListener('open', ifLatest(onOpen));
          socket.addEventListener(
            'message',
            ifLatest(({ data }) => onMessage(String(data))),
          );
          socket.addEventListener('close', ifLatest(onLost));
        }),
      )
      .catch(ifLatest(onLost)); // no token, or no sockets here
  }

  function onOpen(): void {
    tries = unanswered = 0;
    ringIn(PING_EVERY);
    send({ resume: newest });
    listener.resumed('relay');
  }

  /** Tries again at a random time, so that pages that lost the same relay do not come back at once. */
  function onLost(): void {
    const wasOpen = tries === 0;
    stop();
    ringIn(random() * Math.min(MAX_DELAY, 500 * 2 ** tries));
    if (wasOpen) listener.resumed('relay');
  }

  function onMessage(text: string): void {
    unanswered = 0;
    if (text.startsWith('pong:')) {
      if (text !== `pong:${newest?.epoch}:${newest?.seq}`) send({ resume: newest });
      return;
    }
    isolated(() => {
      const { epoch, seq, value } = JSON.parse(text) as Message;
      if (newest?.epoch !== epoch || seq > newest.seq) newest = { epoch, seq };
      if (value) listener.changed('relay', isOf('invoice', (subject = value.invoiceId)));
    });
  }

  /** Pings, and sends a token that is newer than the socket's before that one expires. */
  async function ping(): Promise<void> {
    const own = latest;
    if (unanswered++ >= MAX_UNANSWERED) return onLost();
    ringIn(unanswered < MAX_UNANSWERED ? PING_EVERY : ANSWER_WITHIN);
    socket!.send('ping');
    const current = await dial.token().catch(() => token);
    if (own === latest && current !== token) send({ token: (token = current) });
  }

  function ring(): void {
    if (socket) void ping();
    else open();
  }

  function wake(): void {
    if (socket && unanswered >= MAX_UNANSWERED) return; // it opens, or has been asked
    unanswered = MAX_UNANSWERED - 1;
    ring();
  }

  ring();
  return {
    name: 'relay',
    safetyPeriod({ id, bornAt }) {
      if (id !== subject || tries > 0) return undefined;
      return clock.monotonic() - bornAt < HALF_HOUR ? SAFETY_PERIOD : LONG_SAFETY_PERIOD;
    },
    wake,
    stop,
  };
}
