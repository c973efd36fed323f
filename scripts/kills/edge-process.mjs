// The relay's Worker in a workerd of its own, which is killed by the signal when it asks for that, and started again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { COMPATIBILITY_DATE } from '../../test/runners/workerd.mjs';
import { bin, freePort, whenReady } from './runtimes.mjs';

const configOf = (port, place, vars) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "disk", disk = (path = ${JSON.stringify(place)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  durableObjectNamespaces = [
    (className = "Account", uniqueKey = "account", enableSql = true),
    (className = "Room", uniqueKey = "room", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "ACCOUNT", durableObjectNamespace = "Account"),
    (name = "ROOMS", durableObjectNamespace = "Room"),
    ${Object.entries(vars)
      .map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
      .join(',\n    ')}
  ],
);
`;

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
      writeFileSync(join(folder, 'config.capnp'), configOf(port, place, { ...vars, KILLER }));
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
