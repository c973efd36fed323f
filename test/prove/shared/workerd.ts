// A workerd of one's own, which a proof can kill: its configuration, and when it listens.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COMPATIBILITY_DATE } from '../../runners/workerd.mjs';

/** Folder of the repository. */
export const root: string = fileURLToPath(new URL('../../..', import.meta.url));

/** A command that the repository has installed. */
export const bin = (name: string): string => join(root, 'node_modules/.bin', name);

export interface WorkerdOptions {
  readonly port: number;
  /** Folder for what objects keep. */
  readonly place: string;
  /** Classes of objects by their bindings. */
  readonly objects: Readonly<Record<string, string>>;
  /** Texts by name. */
  readonly vars?: Readonly<Record<string, string>>;
}

const linesOf = (list: readonly string[]): string => list.join(',\n    ');

/** The configuration of a Worker that is the file `worker.js` of the same folder. */
export function workerdConfig({ port, place, objects, vars = {} }: WorkerdOptions): string {
  const namespaces = Object.values(objects).map(
    (name) => `(className = "${name}", uniqueKey = "${name.toLowerCase()}", enableSql = true)`,
  );
  const bindings = Object.entries(objects).map(
    ([name, object]) => `(name = "${name}", durableObjectNamespace = "${object}")`,
  );
  const texts = Object.entries(vars).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  );
  return `
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
    ${linesOf(namespaces)}
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    ${linesOf([...bindings, ...texts])}
  ],
);
`;
}

const MOST_TRIES = 400;
const BETWEEN_TRIES_MS = 25;

/** Resolves when the Worker responds. */
export async function whenReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES && child.exitCode === null; tries++) {
    try {
      const response = await fetch(url, { method: 'OPTIONS' });
      await response.body?.cancel();
      return;
    } catch {
      await wait(BETWEEN_TRIES_MS);
    }
  }
  throw new Error('workerd did not start');
}
