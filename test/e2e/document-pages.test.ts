// Protects: the pages that the documents show run in a browser as they stand: the scripts throw
// nothing, each element draws itself, and where the page has its own sandbox, the sale ends.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect } from 'chai';
import { after, describe } from '#test';
import { serve } from '../../src/cli/loopback.ts';
import { fencesOfDocuments } from '../house/fences.ts';
import { root } from '../house/source.ts';
import { type EngineDoor, it, openEngine, until } from './engines.ts';

const pages = fencesOfDocuments.filter(({ language }) => language === 'html');

/** Tells the test what goes wrong before any script of the page runs. */
const COMPLAINTS = `<script>
  window.complaints = [];
  addEventListener('error', ({ message }) => complaints.push(message));
  addEventListener('unhandledrejection', ({ reason }) => complaints.push(String(reason)));
</script>`;

/** A page with its bare imports resolved, as the project of a reader does it. */
async function bundled(html: string): Promise<string> {
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? [];
  if (!/from 'paystate/.test(script)) return html;
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: root },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return html.replace(script, () => outputFiles[0]!.text.replaceAll('</script', '<\\/script'));
}

const texts = await Promise.all(pages.map(({ code }) => bundled(code)));

const server = await serve(async (request: Request) => {
  const { pathname } = new URL(request.url);
  const [, number] = /^\/(\d+)\/$/.exec(pathname) ?? [];
  if (number !== undefined)
    return new Response(COMPLAINTS + texts[Number(number)], {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  const [file] = /paystate(-checkout)?\.min\.js$/.exec(pathname) ?? [];
  if (!file) return new Response(null, { status: 503 });
  return new Response(readFileSync(join(root, 'dist', file)), {
    headers: { 'content-type': 'text/javascript' },
  });
});
let engine: EngineDoor | undefined;
after(async () => {
  await engine?.close();
  await server.close();
});

/** A page with an order of a server that this test does not have. */
const NEEDS_SERVER = /fetch\('\/orders'/;

describe('the pages of the documents', () => {
  for (const [at, { place, code }] of pages.entries())
    it(`run in a browser: ${place}`, async () => {
      engine ??= (await openEngine('chromium'))!;
      const tab = await engine.tab();
      await tab.go(`${server.url}/${at}/`);
      const [, element] = /<(paystate-[a-z-]+)/.exec(code)!;
      const drawn = `document.querySelector('${element}').shadowRoot?.textContent.trim()`;
      await until(tab, `customElements.get('${element}')`);
      if (NEEDS_SERVER.test(code)) return;
      await until(tab, drawn);
      if (code.includes('id="pay"')) {
        await until(tab, `${drawn}.includes('4.20')`);
        await tab.run("document.querySelector('#pay').click()");
        await until(tab, `/paid/i.test(${drawn})`);
      }
      expect(await tab.run('return complaints')).to.deep.equal([]);
    });
});
