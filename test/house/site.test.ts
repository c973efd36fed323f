// Protects: the pages of the manual's site, as they are made from the documents: titles, addresses, links, programs.
// Whether the built site works in a browser is tested by `npm run docs -- check`.
import { transformSync } from 'esbuild';
import { expect } from 'chai';
import { describe, it } from '#test';
import { deadLinks, doubledHeadings, withoutTitle } from '../../demo/site/make/check.ts';
import { makePages } from '../../demo/site/make/pages.ts';
import { programOf } from '../../demo/site/make/programs.ts';
import { relativePage, relativeScript } from '../../demo/site/make/relative.ts';
import { chapters, pageOf } from '../../demo/site/make/routes.ts';
import { narrowed, WIDTH } from '../../demo/site/make/width.ts';
import { documents, textOfDocument } from './documents.ts';
import { entries } from './entries.ts';
import { fencesOf } from './fences.ts';
import { expectNone } from './none.ts';
import { RECIPES } from './recipes.ts';

const pages = makePages();

describe('the pages of the site', () => {
  it('are checked by rules that find what is wrong', () => {
    const wrong = new Map([
      ['a.md', 'No title\n\n## Two\n\n## Two\n\n[x](./b.md) [y](./c.md#three) [z](#two)'],
      ['c.md', '# Three\n\n```ts\n# Three\n[x](./never.md)\n```\n\n## Four {#own}\n\n[w](#own)'],
    ]);
    expect(withoutTitle(wrong)).to.deep.equal(['a.md']);
    expect(doubledHeadings(wrong)).to.deep.equal(['a.md#two']);
    expect(deadLinks(wrong)).to.deep.equal(['a.md → ./b.md']);
  });

  it('have a title each', () => expectNone(withoutTitle(pages)));
  it('have headings with addresses of their own', () => expectNone(doubledHeadings(pages)));
  it('have links that lead somewhere', () => expectNone(deadLinks(pages)));

  it('are all chapters, recipes, entries and codes', () => {
    expectNone(
      documents.filter(
        (file) =>
          /^src\/.+\/(README|in-detail|what-binds)\.md$/.test(file) && !chapters.includes(file),
      ),
    );
    const recipes = Object.values(RECIPES).flatMap((part) => Object.keys(part));
    const wanted = [
      ...chapters.map((file) => pageOf(file)!),
      ...recipes.map((name) => `cookbook/${name}.md`),
      'errors/BALANCE_TOO_LOW.md',
      'errors/SECRET_IN_BROWSER.md',
      'glossary.md',
      'troubleshooting.md',
      'go-live.md',
      'reference/paystate.md',
    ];
    expectNone(wanted.filter((page) => !pages.has(page)));
    expect([...pages.keys()].filter((page) => page.startsWith('reference/'))).to.have.length(
      entries.length + 1,
    );
  });
});

describe('the programs of the site', () => {
  it('run in the page if they need no more than a page', () => {
    const client = "import { createClient } from 'paystate';\n";
    expect(programOf('ts', `${client}// yours: { apiKey: 'KEY' }`)).to.deep.equal({
      kind: 'module',
    });
    expect(
      programOf('ts', `${client}createClient({ baseUrl: 'https://a', apiKey: 'KEY' });`)?.kind,
    ).to.equal(undefined);
    expect(programOf('js', "import { once } from 'node:events';")?.kind).to.equal(undefined);
    expect(programOf('tsx vite', "import { useState } from 'react';")).to.deep.equal({
      command: 'npm install paystate react',
    });
    expect(programOf('bash', 'npm test')).to.equal(undefined);
  });

  it('are all of the manual, each with its button or its command', () => {
    const isProgram = ({ language }: { language: string }): boolean =>
      /^(ts|tsx|js|html|svelte)\b/.test(language);
    for (const file of chapters) {
      const programs = fencesOf(textOfDocument(file)).filter(isProgram);
      const elements = pages.get(pageOf(file)!)!.match(/^<manual-program /gm) ?? [];
      expect(elements.length, file).to.equal(programs.length);
    }
    const all = [...pages.values()].join('').match(/^<manual-program kind=/gm);
    expect(all!.length).to.be.at.least(90);
  });
});

describe('the code of the site', () => {
  const wide = [
    '// A comment that is far too long for one line of the column, so that it is wrapped.',
    "const text = 'https://a.example'; // a comment at the end of a line, which moves above it",
    "console.log([text, text, text].join(', ')); // https://a.example, https://a.example, https://a.example",
    '',
  ].join('\n');
  const narrowOf = (language: string, code: string): string =>
    narrowed(new Map([['a.md', `\`\`\`${language}\n${code}\`\`\``]]))
      .get('a.md')!
      .replace(/^```.*\n|```$/g, '');

  it('has lines that fit into its column', () => {
    expect(narrowOf('ts', wide).split('\n')).to.deep.equal([
      '// A comment that is far too long for one line of the column, so that it',
      '// is wrapped.',
      '// a comment at the end of a line, which moves above it',
      "const text = 'https://a.example';",
      "console.log([text, text, text].join(', '));",
      '// https://a.example, https://a.example, https://a.example',
      '',
    ]);
    const page = `<script type="module">\n  ${wide.trimEnd().replaceAll('\n', '\n  ')}\n</script>\n`;
    for (const line of narrowOf('html', page).split('\n'))
      expect(line).to.have.length.at.most(WIDTH);
    const broken = `const a = ${'('.repeat(WIDTH)};\n`;
    expect(narrowOf('ts', broken)).to.equal(broken);
  });

  it('is the code of the documents', () => {
    const bare = (code: string): string =>
      transformSync(code, { loader: 'tsx', minify: true, tsconfigRaw: {} }).code;
    for (const file of chapters) {
      const shown = fencesOf(pages.get(pageOf(file)!)!);
      for (const [n, { language, code }] of fencesOf(textOfDocument(file)).entries())
        if (/^(ts|tsx|js)\b/.test(language))
          expect(bare(shown[n]!.code), `${file} ${n}`).to.equal(bare(code));
    }
  });
});

describe('the folder of the site', () => {
  it('is found by each page and each script', () => {
    const html = '<html lang="en"><head></head><body><a href="/__base__/b.html"></a></body></html>';
    const page = relativePage(html, '../');
    expect(page).to.include('<html data-base="../" lang="en"').and.to.include('href="../b.html"');
    expect(page).not.to.include('__base__');
    expect(page.indexOf('Content-Security-Policy')).to.be.below(page.indexOf('<script>'));
  });

  it('is a sum in a script, and is put into data when that is read', () => {
    const scripts = [
      'return"/__base__/"+x',
      'f("/__base__/a.js",`/__base__/b`)',
      String.raw`JSON.parse("{\"base\":\"/__base__/\"}").base`,
      'const e=\'{"0":"/__base__/a.html"}\';export{e as default};',
    ].map(relativeScript);
    expectNone(scripts.filter((script) => script.includes('/__base__')));
    const run = (code: string): unknown =>
      new Function('x', 'f', `globalThis.__BASE__ = '/in/'; ${code}`)(
        'y',
        (...all: string[]) => all,
      );
    expect(run(scripts[0]!)).to.equal('/in/y');
    expect(run(`return ${scripts[1]}`)).to.deep.equal(['/in/a.js', '/in/b']);
    expect(run(`return ${scripts[2]}`)).to.equal('/in/');
    expect(run(scripts[3]!.replace('export{e as default}', 'return e'))).to.equal(
      '{"0":"/in/a.html"}',
    );
  });
});
