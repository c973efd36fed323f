// Protects: what is not used costs nothing. esbuild, and with it Wrangler, drops a value made at the top
// of a file only where each call is marked pure; the build puts the marks in.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { describe, it } from '#test';
import { pureCalls } from '../../scripts/plugins.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const SOURCE = `
import { make } from 'elsewhere';
export const used = 1;
const table = new Map([['A_UNUSED', make(inner('B_UNUSED'))]]);
export const lookup = (name) => table.get(name);
export const chained = make('C_UNUSED').pipe(make('D_UNUSED'));
export const later = () => effect('IN_A_FUNCTION');
effect('STANDS_ALONE');
`;

const marked = async (): Promise<string> => {
  const source = {
    name: 'source',
    resolveId: (id: string) => (id === 'in' ? id : false),
    load: () => SOURCE,
  };
  const built = await rollup({
    input: 'in',
    external: ['elsewhere'],
    plugins: [source, pureCalls()],
    treeshake: false,
  });
  return (await built.generate({ format: 'es' })).output[0].code;
};

/** Resolves to the rest that a bundler keeps of a file that is imported for nothing. */
const whatStays = async (code: string): Promise<string> => {
  const unused = code
    .replace(/^export \{[^}]*\};?$/gm, '')
    .replace(/^export (?=const|let|function|class)/gm, '');
  const { code: kept } = await transform(unused, {
    treeShaking: true,
    minify: true,
    format: 'esm',
  });
  // A product of numbers is a few bytes that esbuild does not dare to drop.
  return kept
    .replace(/const \w+=[\de.*+/()-]+;?/g, '')
    .replace(/(import|export)\b[^;'"]*['"][^'"]*['"];?|export\{[^}]*\};?/g, '')
    .trim();
};

describe('shaking', () => {
  it('marks calls that run while a module loads, and no other', async () => {
    const code = await marked();
    expect(code).to.contain('/* @__PURE__ */ new Map').and.contain('/* @__PURE__ */ inner(');
    expect(code).to.contain("=> effect('IN_A_FUNCTION')").and.contain("\neffect('STANDS_ALONE')");
  });

  it('lets a bundler drop what was marked', async () => {
    const text = await whatStays(await marked());
    expect(text).not.to.match(/_UNUSED|IN_A_FUNCTION/);
    expect(text).to.contain('STANDS_ALONE');
  });

  it('leaves nothing of a built file of which nothing is used', async () => {
    // But for the command and its page, which are there to run, and for the files of Node: no bundler reaches them.
    const files = globSync('dist/**/*.js', { cwd: root }).filter(
      (file) => !/\.min\.js$|dist[\\/](cli|node)[\\/]/.test(file),
    );
    const left = await Promise.all(
      files.map(async (file) => ({
        file,
        text: await whatStays(readFileSync(join(root, file), 'utf8')),
      })),
    );
    const isDirective = (text: string) => text.trim() === '"use client";'; // no code
    expectNone(
      left
        .filter(({ text }) => text && !isDirective(text))
        .map(({ file, text }) => `${file} keeps ${text.slice(0, 150)}`),
    );
  });
});
