// Protects: what somebody sees who writes `client.` in an editor: signatures with their comments, options with theirs,
// and no machinery. Both versions of TypeScript's language service are asked that editors use.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from '#test';
import {
  type Editor,
  type EditorWithMaps,
  openFive,
  openSeven,
  openWorkplace,
  type Workplace,
} from './editors.ts';
import { operations, places, program } from './hovers.ts';
import { root } from './source.ts';

const place = (name: string): number => places.get(name)!;

/**
 * Returns the words of a resource's interface about an operation: the first sentence, and what it
 * throws.
 */
function documented(name: string): { sentence: string; throws: string } {
  const [resource = '', operation = ''] = name.split('.');
  const all = readFileSync(join(root, 'src/generated/resources.ts'), 'utf8');
  const type = resource[0]!.toUpperCase() + resource.slice(1);
  const text = all.slice(all.indexOf(`interface ${type} {`));
  const end = text.search(new RegExp(`\\n  ${operation}[<(]`));
  const comment = text.slice(text.lastIndexOf('/**', end), end).replace(/^\s*\*? ?/gm, '');
  return {
    sentence: /\*\*\s*([^.]+\.)/.exec(comment)![1]!,
    throws: /@throws (.+)/.exec(comment)![1]!,
  };
}

const editors = new Map<string, Editor>();
let workplace: Workplace;
let seven: EditorWithMaps;

before(async () => {
  workplace = openWorkplace(program);
  seven = await openSeven(workplace);
  editors.set('5.9', openFive(workplace)).set('7', seven);
});

after(() => {
  for (const editor of editors.values()) editor.close();
  workplace.close();
});

for (const version of ['5.9', '7'])
  describe(`an editor with TypeScript ${version}`, () => {
    const hover = (name: string): Promise<string> => editors.get(version)!.hover(place(name));

    it('is of this version', () => {
      expect(editors.get(version)!.name).to.match(new RegExp(`^TypeScript ${version}\\.`));
      expect(operations).to.have.length(11);
    });

    for (const name of operations)
      it(`shows ${name} with its signature, what it does and what it throws`, async () => {
        const text = await hover(name);
        const { sentence, throws } = documented(name);
        const [resource = '', operation] = name.split('.');
        const type = resource[0]!.toUpperCase() + resource.slice(1);
        expect(text).to.contain(`(method) ${type}.${operation}(`);
        expect(text).to.match(/\): (Call|List|Promise|Watch)</);
        expect(text.replace(/\s+/g, ' ')).to.contain(sentence.replace(/\s+/g, ' '));
        expect(text)
          .to.match(/@throws/)
          .and.contain(throws)
          .and.match(/@example/);
        expect(text).not.to.match(/connection: Connection/);
      });

    it('shows what options mean, with their units and what holds without them', async () => {
      const said = {
        createClient: 'Creates a client',
        baseUrl: 'service',
        apiKey: 'servers',
        attemptTimeout: '10,000',
        callTimeout: '60,000',
        maxAttempts: 'ttempts',
        rateLimitShare: '0 to 1',
        maxResponseBytes: '5,000,000',
        'call.signal': 'Cancels the call',
        'call.attemptTimeout': 'milliseconds',
        'call.callTimeout': 'milliseconds',
        'call.maxAttempts': 'ttempts',
      };
      for (const [name, words] of Object.entries(said)) expect(await hover(name)).to.contain(words);
    });

    it('offers the resources after `client.`, and no machinery', async () => {
      const offered = await editors.get(version)!.complete(place('client'));
      expect(offered).to.have.members([
        'accounts',
        'balances',
        'bankPaymentMethods',
        'currencyExchangeQuotes',
        'deposits',
        'events',
        'forget',
        'invoices',
        'paymentQuotes',
        'payments',
        'payoutOriginators',
        'payouts',
        'rates',
        'receiveRequests',
        'subscriptions',
        'withOptions',
      ]);
      expect(await hover('withOptions')).to.contain('different options');
    });
  });

describe('going to a definition', () => {
  it('leads to the declaration, which has the comment', async () => {
    const found = await seven.define(place('invoices.create'));
    expect(found?.file).to.equal('dist/generated/resources.d.ts');
    expect(found?.line).to.match(/^create\(/);
    expect((await seven.define(place('createClient')))?.file).to.equal('dist/client.d.ts');
    expect((await seven.define(place('attemptTimeout')))?.line).to.match(
      /^readonly attemptTimeout\?/,
    );
  });
});
