// Protects: the search of the built site finds the answers to the questions of newcomers in its first three hits.
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from '#test';
import { built } from '../../demo/site/make/build.ts';
import { SEARCH, SHOWN_HITS } from '../../demo/site/make/search.ts';
import { root } from '../house/source.ts';

/** What a newcomer types, and pages of which one has the answer. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  'show a QR code and wait': [
    'start',
    'manual/elements',
    'manual/flows',
    'cookbook/charge-and-wait',
  ],
  'verify a webhook in Express': ['cookbook/express'],
  'pay a Lightning address': ['manual/flows/pay', 'manual/lightning', 'start'],
  refund: ['manual/flows/pay', 'cookbook/refund'],
  'what happens after 30 seconds': [
    'manual/flows',
    'troubleshooting',
    'errors/INVALID_STATE_FOR_INVOICE_EXPIRED',
  ],
  'rate limits': ['manual/core'],
  'test with virtual time': ['manual/sandbox'],
  'fake fetch in tests': [
    'manual/testing',
    'manual/core',
    'cookbook/use-a-proxy',
    'cookbook/mock-in-jest',
  ],
  'log requests': ['cookbook/log-requests', 'manual/core'],
  'own fetch': ['troubleshooting', 'manual/core', 'cookbook/use-a-proxy'],
  'rotate the key': ['go-live'],
  pagination: ['manual/core', 'cookbook/page-two'],
  idempotency: [
    'manual/core',
    'manual/core/errors',
    'cookbook/retry-safely',
    'manual/resources',
    'glossary',
  ],
  'format amounts': ['manual/money'],
  'React hook': ['manual/react'],
  'Deno Deploy': ['go-live', 'manual/host'],
  'self-host': ['manual/host', 'go-live'],
  'go-live list': ['go-live'],
  'error codes': ['errors/', 'manual/core/errors'],
  'types of events': ['troubleshooting', 'manual/webhooks', 'manual/resources', 'manual/state'],
  python: ['start', 'manual/cli'],
  cdn: ['manual/flows'],
  deno: ['start', 'manual/core', 'go-live', 'cookbook/deno-cron'],
  next: ['cookbook/next', 'cookbook/next-page'],
  nextjs: ['cookbook/next', 'cookbook/next-page'],
};

interface Hit {
  readonly id: string;
}

interface Index {
  search(query: string, options: object): readonly Hit[];
}

const pageOf = (id: string): string =>
  id.replace('/__BASE/__/', '').replace(/(\.html)?#.*$|\.html$/, '');

describe('the search of the site', () => {
  let index: Index;

  before(() => {
    const [file] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: built });
    const text = readFileSync(join(built, file!), 'utf8');
    const [, quote, literal] = /^const \w+=(['"`])([\s\S]*)\1\.replaceAll/.exec(text)!;
    const json = new Function(`return ${quote}${literal}${quote}`)() as string;
    const require = createRequire(join(root, 'demo/site/package.json'));
    const MiniSearch = require('minisearch') as { loadJSON(text: string, options: object): Index };
    const options = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };
    index = MiniSearch.loadJSON(json, options);
  });

  for (const [question, answers] of Object.entries(QUESTIONS))
    it(`finds: ${question}`, () => {
      const hits = index.search(question, SEARCH).slice(0, SHOWN_HITS);
      const found = hits.map(({ id }) => pageOf(id));
      expect(
        found.some((page) => answers.includes(page)),
        found.join(', '),
      ).to.equal(true);
    });
});
