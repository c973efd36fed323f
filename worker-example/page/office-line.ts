/** Interval between pings, and the time that each answer may take, milliseconds. */
const PING = 25_000;
const PATIENCE = 10_000;
const AGAIN = 2_000;

export interface Line {
  close(): void;
}

/**
 * Opens a socket to the back office that reconnects by itself, and gets everything again each time.
 * A hidden page closes it, because the shop reads from the service while one is open. The secret is
 * the second protocol, because addresses are logged. The server of the start command fills in an
 * empty one.
 */
export function openLine(secret: string, hear: (message: string) => void, say: (text: string) => void): Line {
  let socket: WebSocket | undefined;
  let isOver = false;
  let timers: ReturnType<typeof setTimeout>[] = [];
  const later = (work: () => void, ms: number) => void timers.push(setTimeout(work, ms));
  const rest = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const ping = () => {
    socket?.send('ping');
    later(() => socket?.close(), PATIENCE);
  };
  const connect = () => {
    if (isOver || document.hidden) return;
    const url = new URL('/office/live', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const opening = new WebSocket(url, secret ? ['office', secret] : ['office']);
    let wasOpen = false;
    socket = opening;
    opening.addEventListener('open', () => {
      wasOpen = true;
      say('Live');
      later(ping, PING);
    });
    opening.addEventListener('message', ({ data }) => {
      if (data !== 'pong') return hear(String(data));
      rest();
      later(ping, PING);
    });
    opening.addEventListener('close', () => {
      rest();
      socket = undefined;
      if (isOver || document.hidden) return;
      say(wasOpen ? 'Connection lost. Retrying …' : 'Not open: wrong password, or the shop does not answer');
      later(connect, AGAIN);
    });
  };
  const turn = () => {
    if (document.hidden) return socket?.close();
    if (socket) return; // it's still closing, and reconnects after that
    rest();
    connect();
  };
  document.addEventListener('visibilitychange', turn);
  connect();
  return {
    close() {
      isOver = true;
      document.removeEventListener('visibilitychange', turn);
      rest();
      socket?.close();
    },
  };
}
