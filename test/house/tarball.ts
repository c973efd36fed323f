// The package as a user would get it.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './source.ts';

export interface Tarball {
  readonly path: string;
  readonly files: readonly string[];
  /** Bytes of all files. */
  readonly unpackedSize: number;
  readonly bytes: ArrayBuffer;
}

const { npm_node_execpath: machineNode, npm_execpath: npmItself } = process.env;
export const npm = (...args: string[]): string => {
  const [command, ...first] = machineNode && npmItself ? [machineNode, npmItself] : ['npm'];
  const { stdout, stderr, status } = spawnSync(command as string, [...first, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

let packed: Tarball | undefined;

/** The package, packed once for all tests of a run of `npm test`, which takes npm seconds; else of a process. */
export const pack = (): Tarball =>
  (packed ??= tarballIn(process.env['TEST_FOLDER'] ?? ownFolder()));

/** A folder that ends with the process. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function tarballIn(folder: string): Tarball {
  const place = join(folder, 'packed');
  if (!existsSync(place)) packInto(place);
  // npm 12 answers an object by name where npm 11 answers a list.
  const answer = JSON.parse(readFileSync(join(place, 'answer.json'), 'utf8'));
  const [said] = Object.values(answer) as {
    filename: string;
    files: { path: string }[];
    unpackedSize: number;
  }[];
  const path = join(place, said?.filename ?? '');
  const bytes = readFileSync(path);
  return {
    path,
    files: (said?.files ?? []).map((file) => file.path).sort(),
    unpackedSize: said?.unpackedSize ?? 0,
    bytes: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  };
}

/** Makes the folder whole or not at all: another process may do the same. */
function packInto(place: string): void {
  const own = `${place}-${process.pid}`;
  mkdirSync(own);
  const answer = npm('pack', '--json', '--ignore-scripts', '--pack-destination', own);
  writeFileSync(join(own, 'answer.json'), answer);
  try {
    renameSync(own, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(own, { recursive: true });
  }
}
