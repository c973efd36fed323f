// The relay's Worker in a workerd of its own, which is killed by the signal when it asks for that, and started again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { bin, freePort, whenReady, workerdConfig } from './runtimes.mjs';

const OBJECTS = { ACCOUNT: 'Account', ROOMS: 'Room' };

/** Where kills and runs of handlers are told: they are known here before anything else happens. */
export async function openProcesses() {
  let child;
  let restarted = Promise.resolve();
  let restart = async () => {};
  const told = { kills: [], runs: [] };
  const server = createServer(async (request, response) => {
    const { killedAt, ran, key } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (ran) told.runs.push({ ran, key });
    if (!killedAt) return response.end();
    told.kills.push(killedAt);
    restarted = restart();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const KILLER = `http://127.0.0.1:${server.address().port}`;
  return {
    told,
    restarted: () => restarted,
    async start(folder, vars) {
      const place = join(folder, 'disk');
      mkdirSync(place, { recursive: true });
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const config = workerdConfig({ port, place, objects: OBJECTS, vars: { ...vars, KILLER } });
      writeFileSync(join(folder, 'config.capnp'), config);
      const run = async () => {
        child = spawn(bin('workerd'), ['serve', 'config.capnp'], { cwd: folder, stdio: 'ignore' });
        await whenReady(`${url}/woken`, child);
      };
      restart = async () => {
        const ended = once(child, 'close');
        child.kill('SIGKILL');
        await ended;
        await run();
      };
      await run();
      return {
        url,
        async close() {
          await restarted;
          const ended = once(child, 'close');
          child.kill('SIGKILL');
          await ended;
          server.close();
          server.closeAllConnections();
        },
      };
    },
  };
}
