// Type-checks right and wrong use of the elements, and the recipes of their chapter, by the real
// frameworks' own checkers against the package as it is packed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { pack } from '../house/tarball.ts';
import { runToEnd } from './native.mjs';

/**
 * Each checker with what it is given. `marked` has wrong lines, which it must report, and no
 * others.
 */
const CHECKS = [
  { name: 'React', tool: 'tsc', args: ['-p', 'elements/react.json'] },
  { name: 'React 18', tool: 'tsc', args: ['-p', 'elements/react-18.json'] },
  { name: 'Solid', tool: 'tsc', args: ['-p', 'elements/solid.json'] },
  { name: 'Vue', tool: 'vue-tsc', args: ['-p', 'elements/vue.json'] },
  {
    name: 'Svelte',
    tool: 'svelte-check',
    args: ['--tsconfig', 'elements/svelte.json', '--output', 'machine'],
    marked: 'elements/page.svelte',
  },
  { name: 'Angular', tool: 'ngc', args: ['-p', 'elements/angular.json'] }, // writes what the browser runs
  {
    name: 'Angular, wrong',
    tool: 'ngc',
    args: ['-p', 'elements/angular-wrong.json'],
    marked: 'elements/angular-wrong.ts',
  },
];

/** Unpacks the package next to the frameworks, where it finds the installed version of each. */
function unpack(place) {
  const target = join(place, 'node_modules/paystate');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const { status, stderr } = spawnSync('tar', ['xf', pack().path, '-C', target, '--strip=1']);
  if (status !== 0) throw new Error(String(stderr));
}

const wrongLines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => (line.endsWith('<!-- wrong -->') ? [at + 1] : []));

/** The lines of errors, as `file.ts:12:3 - error` and `ERROR "file.svelte" 12:3` say them. */
const toldLines = (file, output) =>
  [...output.matchAll(new RegExp(`${basename(file)}\\b[":\\s(]*(\\d+)[:,]\\d+`, 'g'))].map(
    ([, line]) => Number(line),
  );

async function check(place, { name, tool, args, marked }) {
  const command = join(place, 'node_modules/.bin', tool);
  const { code, output: coloured } = await runToEnd(place, command, args);
  const output = stripVTControlCharacters(coloured);
  if (!marked) return code === 0 ? [] : [{ name: `types: ${name}`, message: output }];
  const expected = wrongLines(join(place, marked));
  const told = [...new Set(toldLines(marked, output))].sort((a, b) => a - b);
  const isRight =
    expected.length > 0 && `${expected}` === `${told}` && countOf(output) === told.length;
  return isRight
    ? []
    : [{ name: `types: ${name}`, message: `wrong lines: ${expected}; told: ${told}\n${output}` }];
}

/** Counts the errors in all files. */
const countOf = (output) => output.match(/\berror (TS|NG)|\bERROR "/g)?.length ?? 0;

/** Resolves to unintended findings of the checkers, as failures. */
export async function elementTypeErrors(place) {
  unpack(place);
  const found = await Promise.all(CHECKS.map((one) => check(place, one)));
  return found.flat();
}
