// The proofs: longer versions of single suites, measurements, and reports that a person reads. A
// proof is a file of this folder, or `command.ts` in a folder of it; its first comment says in one
// sentence what it does.
//   npm run prove             lists them
//   npm run prove -- NAME …   plays one, with the words after its name
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearestTo } from '../runners/choice.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

export interface Proof {
  readonly name: string;
  /** Its path from the top of the project. */
  readonly file: string;
  /** The first sentence of its first comment, without the full stop; empty if there is none. */
  readonly says: string;
}

/** The first sentence of the comment that a program begins with. */
export function sentenceOf(program: string): string {
  const [comment = ''] = /^(?:\/\/ (?! ).*\n)+/.exec(program) ?? [];
  const text = comment.replaceAll(/^\/\/ /gm, '').replaceAll('\n', ' ');
  return /^(.+?)\.(?: |$)/.exec(text)?.[1] ?? '';
}

/** All proofs, in alphabetical order. */
export const proofs: readonly Proof[] = globSync('{*.ts,*/command.ts}', { cwd: folder })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file !== 'command.ts')
  .map((file) => ({
    name: file.replace(/(\/command)?\.ts$/, ''),
    file: `test/prove/${file}`,
    says: sentenceOf(readFileSync(join(folder, file), 'utf8')),
  }))
  .sort((one, other) => (one.name < other.name ? -1 : 1));

/** The list as the command prints it: a proof in each line. */
export function listOf(all: readonly Proof[]): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  return all.map(({ name, says }) => `${name.padEnd(width)}  ${says}`).join('\n');
}

/** Plays a proof in a process of its own; resolves to its exit code. */
async function play({ file }: Proof, given: readonly string[]): Promise<number> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const child = spawn(process.execPath, [join(root, file), ...given], {
    cwd: root,
    stdio: 'inherit',
  });
  // A terminal tells both processes of Ctrl-C; what is sent to this one alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  return (code as number | null) ?? 1;
}

async function main([name, ...given]: readonly string[]): Promise<number> {
  const proof = proofs.find((one) => one.name === name);
  if (proof) {
    const { ensureBuilt } = await import('../../scripts/build.ts');
    await ensureBuilt();
    return play(proof, given);
  }
  console.log(listOf(proofs));
  if (name === undefined) return 0;
  const [nearest] = nearestTo(
    name,
    proofs.map((one) => one.name),
    1,
  );
  console.error(`There is no proof "${name}". Did you mean ${nearest}?`);
  return 2;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
