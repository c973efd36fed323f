// The bare work of a database on this machine, with which the figures of a run are to be compared.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from './stage.ts';

const FLUSHES = 100;
const COMMIT_MS = 2_000;
const CONNECTIONS = 8;

/** The value below which this part of the values is. */
export function partOf(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Infinity;
}

/** Measures the median time in which the disk keeps 8,192 bytes, milliseconds. */
function flushMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-flush-'));
  const file = openSync(join(folder, 'file'), 'w');
  const page = new Uint8Array(8_192);
  const times = Array.from({ length: FLUSHES }, () => {
    const since = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - since;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return partOf(times, 0.5);
}

/** Commits a second of one row each, by this number of connections. */
async function commitsOf(url: string, connections: number): Promise<number> {
  const pool = openPool(url, connections);
  await pool.query('CREATE TABLE IF NOT EXISTS bare (n INTEGER)');
  const end = performance.now() + COMMIT_MS;
  let count = 0;
  const run = async (): Promise<void> => {
    while (performance.now() < end) {
      await pool.query('INSERT INTO bare VALUES ($1)', [count]);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  await pool.end();
  return Math.round((count * 1_000) / COMMIT_MS);
}

/** One line: the machine, its flush time and what PostgreSQL alone does here, now. */
export async function bareLine(url: string): Promise<string> {
  const [alone, together] = [await commitsOf(url, 1), await commitsOf(url, CONNECTIONS)];
  const day = new Date().toISOString().slice(0, 10);
  return [
    `${day}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}`,
    `flush ${flushMs().toFixed(2)} ms`,
    `bare commits a second: ${alone} by one connection, ${together} by ${CONNECTIONS}`,
  ].join('; ');
}
