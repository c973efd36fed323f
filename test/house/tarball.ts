// The package as a user would get it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './source.ts';

export interface Tarball {
  readonly path: string;
  readonly files: readonly string[];
  readonly bytes: ArrayBuffer;
}

const { npm_node_execpath: machineNode, npm_execpath: npmItself } = process.env;
const npm = (...args: string[]): string => {
  const [command, ...first] = machineNode && npmItself ? [machineNode, npmItself] : ['npm'];
  const { stdout, stderr, status } = spawnSync(command as string, [...first, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

let packed: Tarball | undefined;

/** The package, packed once for all tests of a process; its file ends with the process. */
export const pack = (): Tarball => (packed ??= packNow());

function packNow(): Tarball {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const answer = JSON.parse(
    npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder),
  );
  // npm 12 answers an object by name where npm 11 answers a list.
  const [said] = Object.values(answer) as { filename: string; files: { path: string }[] }[];
  const path = join(folder, said?.filename ?? '');
  const bytes = readFileSync(path);
  return {
    path,
    files: (said?.files ?? []).map((file) => file.path).sort(),
    bytes: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  };
}
