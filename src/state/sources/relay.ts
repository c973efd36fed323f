import { Alarm } from '../../core/time/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import type { Dial, Socket, SocketClass } from '../../core/platform/index.ts';
import { PING, PONG, pongOf, type RoomMessage, SUBPROTOCOL } from '../../core/protocol.ts';
import type { Unsubscribe } from '../../core/watch/index.ts';

/** Time between two beats, milliseconds. */
const BEAT = 25_000;
/** Beats without an answer after which a socket counts as dead; counted, for a page's timers may be late. */
const SILENCE = 2;
/** The last of them, and the one that a page sends when it comes back, is to be answered within this, milliseconds. */
const SOON = 5_000;
/** Longest time until the next try, milliseconds; the real one is random below. */
const SLOWEST = 30_000;

/** What a room says, as far as it is used: which invoice to look at, and the number of the news. */
type Message = RoomMessage<{ readonly invoiceId: string }, unknown>;

/** The shop's relay as a source of hints. */
export interface RelaySource {
  /** The socket is open and has spoken of this invoice: what changes will be heard. */
  covers(invoiceId: string): boolean;
  /** Opens a socket at once; one that is there has to answer soon. */
  readonly wake: () => void;
  /** Closes the socket until somebody wakes it: browsers do not keep pages that hold one. */
  readonly stop: Unsubscribe;
}

/**
 * Holds one socket to the relay, from now on. `heard` is called with each invoice that it has news of, which is then
 * looked at: only what a look brings is shown. `changed`: the socket opened or was lost, so something may have been missed.
 */
export function relaySource(
  connection: Connection,
  dial: Dial,
  heard: (invoiceId: string) => void,
  changed: () => void,
): RelaySource {
  const { baseUrl, clock, random } = connection[internals];
  let socket: Socket | undefined;
  /** The token that the socket lives on. */
  let token: string | undefined;
  /** The invoice that it has spoken of: a token has one. */
  let subject: string | undefined;
  /** Newest news that was heard on any. */
  let seen: { readonly epoch: string; readonly seq: number } | null = null;
  let unanswered = 0;
  /** 0 while the socket is open, else the number of the next try. */
  let tries = 1;
  /** Number of the latest try: older ones do nothing any more. */
  let latest = 0;
  const alarm = new Alarm(clock, ring);
  const ringIn = (ms: number) => alarm.set(clock.monotonic() + ms);
  const say = (message: unknown) => socket!.send(JSON.stringify(message));

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
    unanswered = SILENCE;
    ringIn(BEAT);
    dial
      .token()
      .then(
        ifLatest((given) => {
          const { WebSocket: usual } = globalThis as unknown as { readonly WebSocket: SocketClass };
          token = given;
          socket = new (dial.given ?? usual)(`${baseUrl.replace('http', 'ws')}/live`, [
            SUBPROTOCOL,
            token ?? '',
          ]);
          socket.addEventListener('open', ifLatest(opened));
          socket.addEventListener(
            'message',
            ifLatest(({ data }) => said(String(data))),
          );
          socket.addEventListener('close', ifLatest(lost));
        }),
      )
      .catch(ifLatest(lost)); // no token, or no sockets here
  }

  function opened(): void {
    tries = unanswered = 0;
    ringIn(BEAT);
    say({ resume: seen });
    changed();
  }

  /** Tries again at a random time, so that pages that lost the same relay do not come back at once. */
  function lost(): void {
    const wasOpen = tries === 0;
    stop();
    ringIn(random() * Math.min(SLOWEST, 500 * 2 ** tries));
    if (wasOpen) changed();
  }

  function said(text: string): void {
    unanswered = 0;
    if (text.startsWith(PONG)) {
      if (text !== pongOf(seen)) say({ resume: seen });
      return;
    }
    try {
      const { epoch, seq, value } = JSON.parse(text) as Message;
      if (seen?.epoch !== epoch || seq > seen.seq) seen = { epoch, seq };
      if (value) heard((subject = value.invoiceId));
    } catch {
      // not a message of ours
    }
  }

  /** Asks for a sign of life, and hands in a token that is newer than the socket's, before that one is over. */
  async function beat(): Promise<void> {
    const own = latest;
    if (unanswered++ >= SILENCE) return lost();
    ringIn(unanswered < SILENCE ? BEAT : SOON);
    socket!.send(PING);
    const newest = await dial.token().catch(() => token);
    if (own === latest && newest !== token) say({ token: (token = newest) });
  }

  function ring(): void {
    if (socket) void beat();
    else open();
  }

  function wake(): void {
    if (socket && unanswered >= SILENCE) return; // it opens, or has been asked
    unanswered = SILENCE - 1;
    ring();
  }

  ring();
  return { covers: (invoiceId) => invoiceId === subject && tries === 0, wake, stop };
}
