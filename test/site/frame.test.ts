// Protects: a program of the manual runs on a click only, reaches neither network nor page, and can be stopped at any line.
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { describe } from '#test';
import { fragmentOf, MAX_SHARED, sharedIn } from '../../demo/site/run/share.ts';
import { it } from '../e2e/engines.ts';
import { openSite, outcomeOf, press, runProgram } from './site-page.ts';

const codeShown = (page: Page): Promise<string> =>
  page.$eval('manual-program', (element) => {
    const box = element.shadowRoot!.querySelector<HTMLTextAreaElement>('[part=code]')!;
    return box.hidden ? '' : box.value;
  });

const framesOf = (page: Page): Promise<number> =>
  page.$eval('manual-program', (element) => element.shadowRoot!.querySelectorAll('iframe').length);

const write = (page: Page, code: string): Promise<void> =>
  page.$eval(
    'manual-program',
    (element, text) => {
      element.shadowRoot!.querySelector<HTMLTextAreaElement>('[part=code]')!.value = text;
    },
    code,
  );

describe('a program of the manual', () => {
  const site = openSite();
  const linkTo = async (code: string, kind: 'module' | 'page' = 'module'): Promise<string> =>
    `program.html${await fragmentOf({ kind, code })}`;

  it('that came with a link is shown, and runs after a click only', async () => {
    const code = "const text: string = 'it ran: ü';\nconsole.log(text);";
    const { page, complaints } = await site.visit(await linkTo(code));
    await page.waitForFunction(
      (text) =>
        document
          .querySelector('manual-program')!
          .shadowRoot!.querySelector<HTMLTextAreaElement>('[part=code]')!.value === text,
      {},
      code,
    );
    expect(await framesOf(page)).to.equal(0);
    expect(site.asked.filter((path) => path.includes('/run/'))).to.deep.equal([]);
    expect((await runProgram(page)).lines).to.deep.equal(['it ran: ü']);
    await write(page, "console.log('changed', { a: [1] });");
    expect((await runProgram(page)).lines).to.deep.equal(['changed { a: [ 1 ] }']);
    expect(complaints).to.deep.equal([]);
  });

  it('of a link that cannot be read, or is too long, is not shown', async () => {
    const long = await fragmentOf({ kind: 'module', code: ' '.repeat(MAX_SHARED + 1) });
    expect(long.length).to.be.below(200);
    const { page } = await site.visit(`program.html${long}`);
    expect(await codeShown(page)).to.include('createSandbox');
    const problem = await sharedIn(long).catch((reason: unknown) => reason);
    expect(problem).to.be.instanceOf(RangeError);
    expect(await sharedIn('#what-it-costs')).to.equal(undefined);
  });

  it('reaches no network', async () => {
    const url = site.urlOf('start.html?reached');
    const code = `
      const tries = {
        fetch: () => fetch('${url}-fetch'),
        request: () => new Promise((resolve, reject) => {
          const request = new XMLHttpRequest();
          request.open('GET', '${url}-request');
          request.onload = resolve;
          request.onerror = () => reject(new Error('no'));
          request.send();
        }),
        script: async () => importScripts('${url}-script'),
        socket: () => new Promise((resolve, reject) => {
          const socket = new WebSocket('${url.replace('http', 'ws')}-socket');
          socket.onopen = resolve;
          socket.onerror = () => reject(new Error('no'));
        }),
      };
      for (const [name, attempt] of Object.entries(tries))
        console.log(name, await attempt().then(() => 'reached', () => 'refused'));`;
    const { page } = await site.visit(await linkTo(code));
    const { lines, status } = await runProgram(page);
    expect(lines.filter((line) => !line.endsWith('refused'))).to.deep.equal([]);
    expect(lines, status).to.have.length(4);
    expect(site.asked.filter((path) => path.includes('reached'))).to.deep.equal([]);
  });

  it('that is a whole page reaches neither network nor the page around it', async () => {
    const code = `<!doctype html><title>x</title><img src="${site.urlOf('shop/icon.svg?reached')}"><script>
      const say = (name, attempt) => { try { console.log(name, attempt()); } catch (thrown) { console.log(name, 'refused'); } };
      say('document', () => parent.document.title);
      say('storage', () => localStorage.length);
      say('cookie', () => document.cookie);
      say('top', () => (top.location.href = 'about:blank'));
      say('key', () => parent.localStorage);
      fetch('${site.urlOf('start.html?reached')}').then(() => console.log('fetch reached'), () => console.log('fetch', 'refused'));
    </script>`;
    const { page } = await site.visit(await linkTo(code, 'page'));
    const before = page.url();
    await press(page, 'run');
    await page.waitForFunction(() =>
      document
        .querySelector('manual-program')!
        .shadowRoot!.querySelector('[part=output]')!
        .textContent!.includes('fetch'),
    );
    const text = await page.$eval(
      'manual-program',
      (element) => element.shadowRoot!.querySelector('[part=output]')!.textContent!,
    );
    expect(text.trim().split('\n')).to.deep.equal([
      'document refused',
      'storage refused',
      'cookie refused',
      'top refused',
      'key refused',
      'fetch refused',
    ]);
    expect(page.url()).to.equal(before);
    expect(site.asked.filter((path) => path.includes('reached'))).to.deep.equal([]);
  });

  it('has no document and no parent', async () => {
    const code = 'console.log(typeof document, typeof parent, typeof localStorage, self.origin);';
    const { page } = await site.visit(await linkTo(code));
    expect((await runProgram(page)).lines).to.deep.equal(['undefined undefined undefined null']);
  });

  it('that never ends is stopped by its button, or by itself after ten seconds', async () => {
    const { page } = await site.visit(await linkTo("console.log('begun'); for (;;);"));
    await press(page, 'run');
    await page.waitForFunction(() =>
      document
        .querySelector('manual-program')!
        .shadowRoot!.querySelector('[part=output]')!
        .textContent!.includes('begun'),
    );
    await press(page, 'stop');
    expect((await outcomeOf(page)).status).to.equal('Stopped.');
    expect(await framesOf(page)).to.equal(0);
    expect((await runProgram(page)).status).to.equal('Stopped after 10 seconds.');
    expect(await framesOf(page)).to.equal(0);
  });

  it('that is wrong says why', async () => {
    const { page } = await site.visit(await linkTo("import { no } from 'node:fs';\nno();"));
    expect((await runProgram(page)).lines).to.deep.equal([
      "Error: A program in this page cannot import 'node:fs'.",
    ]);
    await write(page, 'const = 1;');
    expect((await runProgram(page)).status).to.equal('The program could not start.');
  });
});
