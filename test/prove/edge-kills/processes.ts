// The relay's Worker in a workerd of its own, which is killed by the signal when it asks for that, and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { WorkerServer } from '../../edge/relay-harness.ts';
import { freePort } from '../../runners/stores/postgresql.ts';
import { closeNow, listen } from '../shared/loopback.ts';
import { bin, whenReady, workerdConfig } from '../shared/workerd.ts';

const OBJECTS = { ACCOUNT: 'Account', ROOMS: 'Room' };

/** The Worker's report on itself before anything else happens. */
interface Told {
  readonly killedAt?: string;
  /** The order whose handler runs, and its key. */
  readonly ran?: string;
  readonly key?: string;
}

export class Processes {
  /** The points at which it was killed. */
  readonly kills: string[] = [];
  readonly runs: { readonly orderId: string; readonly key: string | undefined }[] = [];
  #child: ChildProcess | undefined;
  #restarted: Promise<void> = Promise.resolve();
  #run: () => Promise<void> = async () => {};
  readonly #killer = createServer(async (request, response) => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    const { killedAt, ran, key } = JSON.parse(body) as Told;
    if (ran) this.runs.push({ orderId: ran, key });
    if (!killedAt) return void response.end();
    this.kills.push(killedAt);
    this.#restarted = this.#restart();
  });

  /** Resolves when the process that was killed last has been started again. */
  restarted(): Promise<void> {
    return this.#restarted;
  }

  async #kill(): Promise<void> {
    const child = this.#child!;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  }

  async #restart(): Promise<void> {
    await this.#kill();
    await this.#run();
  }

  /** Starts the Worker `worker.js` of this folder. */
  async start(folder: string, vars: Readonly<Record<string, string>>): Promise<WorkerServer> {
    const place = join(folder, 'disk');
    mkdirSync(place, { recursive: true });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const told = { ...vars, KILLER: await listen(this.#killer) };
    const config = workerdConfig({ port, place, objects: OBJECTS, vars: told });
    writeFileSync(join(folder, 'config.capnp'), config);
    this.#run = async () => {
      const given = ['serve', 'config.capnp'];
      this.#child = spawn(bin('workerd'), given, { cwd: folder, stdio: 'ignore' });
      await whenReady(`${url}/woken`, this.#child);
    };
    await this.#run();
    return {
      url,
      close: async () => {
        await this.#restarted;
        await this.#kill();
        closeNow(this.#killer);
      },
    };
  }
}
