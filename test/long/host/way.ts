// A way to a database that fails as networks do.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The way to the database, which can be cut, or made silent: then nothing passes and nothing ends. */
export async function openWay(hostname: string, port: number) {
  const open = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  let isLosing = false;
  const held: (() => void)[] = [];
  const server = createServer((near) => {
    const far = connect(port, hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        if (state !== 'silent') other.destroy();
      });
      one.on('data', (data) => {
        if (state === 'silent') return void held.push(() => other.write(data));
        // a COMMIT reaches the server, and its response is lost
        const isCommit = one === near && isLosing && data.includes('COMMIT');
        if (isCommit) far.once('data', () => near.destroy());
        if (!(isLosing && one === far && data.includes('COMMIT\0'))) other.write(data);
      });
    }
    if (state === 'cut') near.destroy();
  }).listen(0, hostname);
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      state = 'cut';
      for (const socket of open) socket.destroy();
    },
    silence: () => void (state = 'silent'),
    /** Nothing of what was held is passed on: those connections stay silent for ever. */
    mend: () => void (state = 'open'),
    loseCommits: (isLost: boolean) => void (isLosing = isLost),
    close: () => (server.close(), open.forEach((socket) => socket.destroy())),
  };
}
