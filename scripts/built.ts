// Builds the package if `src` has changed since the last build: for commands that need `dist`.
import { existsSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A build leaves files as they are that would not change, so a file of its own has its time. */
const STAMP = join(root, '.cache/built');

const newest = (pattern: string): number =>
  Math.max(
    0,
    ...globSync(pattern, { cwd: root, exclude: ['src/generated/**'] }).map(
      (file) => statSync(join(root, file)).mtimeMs,
    ),
  );

/** True if `dist` is as new as `src`. */
function isBuilt(): boolean {
  if (!existsSync(join(root, 'dist/integrity.json'))) return false;
  const built = Math.max(newest('dist/**/*.{js,ts,map}'), newest('.cache/built'));
  return built > newest('{src/**/*.ts,rollup.config.mjs}');
}

/** Resolves when `dist` is as new as `src`; rejects with the compiler's words if it cannot be. */
export async function ensureBuilt(): Promise<void> {
  if (isBuilt()) return;
  console.error('Building the package …');
  const startedAt = new Date();
  const { bundled, output } = await build();
  if (!bundled) throw new Error(output);
  if (output) console.error(output);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(STAMP, startedAt.toISOString());
}
