// Protects: every program of the manual that has a Run button runs in the page, and writes there what it writes in Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { after, describe } from '#test';
import { makePages } from '../../demo/site/make/pages.ts';
import { it } from '../e2e/engines.ts';
import { root } from '../house/source.ts';
import { openSite, runProgram, saidBy } from './site-page.ts';

const PROGRAM =
  /<manual-program (?:class="active" )?kind="(module|page)">\n\n```\w+(?: \[\w+\])?\n([\s\S]*?)```/g;
const folder = join(root, '.cache', `site-${process.pid}`);
const MOST_TRIES = 50;

const pages = [...makePages()].filter(([, text]) =>
  /<manual-program [^>]*kind="module"/.test(text),
);

/** Ids differ from run to run, and a console breaks long values where it likes. */
const settled = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replace(/\s+/g, ' ')
    .trim();

/** What the program writes in Node. */
async function textInNode(code: string): Promise<string> {
  const file = join(folder, 'program.ts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file], { cwd: root, timeout: 30_000 });
  let text = '';
  child.stdout.on('data', (part: Buffer) => (text += part));
  const [status] = await once(child, 'close');
  expect(status, code).to.equal(0);
  return text;
}

describe('the programs of the manual', () => {
  const site = openSite();
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [path, text] of pages)
    it(`run on ${path}`, async () => {
      const { page, complaints } = await site.visit(path.replace(/\.md$/, '.html'));
      for (const [n, [, kind, code]] of [...text.matchAll(PROGRAM)].entries()) {
        if (kind !== 'module') continue;
        const { status, said, lines } = await runProgram(page, n);
        expect(status, `program ${n}: ${lines.join('\n')}`).to.match(/^Done/);
        const expected = settled(await textInNode(code!));
        // Timers and subscriptions write after the last line of a program has run.
        let text = settled(said.join('\n'));
        for (let tries = 0; text !== expected && tries < MOST_TRIES; tries += 1) {
          await wait(100);
          text = settled((await saidBy(page, n)).join('\n'));
        }
        expect(text, `program ${n}`).to.equal(expected);
      }
      expect(complaints).to.deep.equal([]);
    });
});
