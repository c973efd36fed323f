// Protects: whoever type-checks against the package sees right types, all declarations included.
// TypeScript is asked without its habit of skipping declarations; Deno reads the JavaScript it is
// given, follows the comment in its first line, and takes declarations at their word about file
// endings.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { entries } from './entries.ts';
import { expectNone } from './none.ts';
import { sourceFiles, textOf } from './source.ts';
import { pack } from './tarball.ts';
import {
  check,
  CHECKOUT,
  elements,
  exportsOf,
  inPages,
  needsNothing,
  newest,
  program,
  programs,
  run,
  strict,
  unbounded,
} from './user-programs.ts';

describe('types', () => {
  // The strictest way to resolve; tests and demo are checked the way of bundlers.
  it('are right for TypeScript', () => check(inPages, '.bin/tsc', ...newest, ...strict));

  it('need no other package installed, but for entries named after it', () => {
    const place = mkdtempSync(join(tmpdir(), 'paystate-'));
    const target = join(place, 'node_modules/paystate');
    try {
      mkdirSync(target, { recursive: true });
      spawnSync('tar', ['xf', pack().path, '-C', target, '--strip=1']);
      writeFileSync(join(place, 'elements.ts'), elements);
      writeFileSync(join(place, 'all.ts'), exportsOf(entries.filter(needsNothing)));
      const files = ['elements.ts', 'all.ts'].map((name) => join(place, name));
      run('.bin/tsc', ...newest, ...strict, ...files);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('know every element that is defined', () => {
    const tags = sourceFiles.flatMap((file) =>
      [...textOf(file).matchAll(/defineOnce\('([\w-]+)'/g)].map(([, tag]) => tag!),
    );
    expect(tags).to.include.members(['paystate-checkout', 'paystate-devtools']);
    const known = textOf('elements/tags.ts');
    expectNone(tags.filter((tag) => !known.includes(`'${tag}': Tag<`)));
  });

  it('say what is missing of a payment whose amount nothing limits', () => {
    const told = () => check({ 'unbounded.ts': unbounded }, '.bin/tsc', ...newest, ...strict);
    expect(told).to.throw(
      /Property 'maxTotal' is missing .* required in type 'PaymentWithoutAmount'/,
    );
  });

  // test/oldest has the oldest ones
  it('are right for TypeScript 5.9', () => check(inPages, 'typescript-5.9/bin/tsc', ...strict));

  it('are right for Deno, by name, by path and in the bundle', () => {
    const byPath = {
      'by-path.ts': program('../../dist/index.js'),
      'bundle.ts': program('../../dist/paystate.min.js'),
      'checkout.ts': CHECKOUT,
    };
    check({ ...programs, ...byPath }, '.bin/deno', 'check', '--quiet');
  });
});
