// Protects: `bitcoin:` URIs, LNURLs, literals of OData filters and signatures of webhooks are those of packages that others
// rely on, in both directions.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createClient } from 'paystate';
import { bitcoinUri, decodeLnurl, encodeLnurl, parseBitcoinUri } from 'paystate/lightning';
import { signWebhook } from 'paystate/testing';
import { verifyWebhook } from 'paystate/webhooks';
import { describe, it } from '#test';
import { bech32, bip21, lnurlPay, odataQuery } from '../peers/peers.mjs';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const plain = words.filter((text) => text.trim() !== '' && text.isWellFormed());
const amount = fc
  .bigInt({ min: 1n, max: 2_100_000_000_000_000n })
  .map((sat) => `${sat / 100_000_000n}.${`${sat % 100_000_000n}`.padStart(8, '0')}`);

describe('bitcoin: URIs', () => {
  it('are read by another package as they were meant', () => {
    fc.assert(
      fc.property(amount, plain, plain, (btc, label, message) => {
        const uri = bitcoinUri({
          address: ADDRESS,
          amount: { amount: btc, currency: 'BTC' },
          label,
          message,
        });
        const { address, options } = bip21.decode(uri);
        expect(address).to.equal(ADDRESS);
        expect([options['label'], options['message']]).to.deep.equal([label, message]);
        expect(options['amount']).to.equal(Number(btc));
      }),
    );
  });

  it('of another package are read as they were meant', () => {
    fc.assert(
      fc.property(amount, plain, plain, (btc, label, message) => {
        const uri = bip21.encode(ADDRESS, { amount: btc, label, message });
        const read = parseBitcoinUri(uri);
        expect(read).to.deep.include({ address: ADDRESS, label, message });
        expect(read.amount).to.deep.equal({ amount: btc, currency: 'BTC' });
      }),
    );
  });
});

describe('LNURL', () => {
  const url = fc
    .webUrl({ validSchemes: ['https'], withQueryParameters: true })
    .filter((text) => !/@/.test(text) && URL.canParse(text));

  /** Absent for what is no address to ask a stranger at, such as one of this machine's own network. */
  const orRefused = (read: () => string): string | undefined => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };

  it('is written as another package reads it', () => {
    let written = 0;
    fc.assert(
      fc.property(url, (address) => {
        const text = orRefused(() => encodeLnurl(address));
        if (text === undefined) return;
        written++;
        expect(lnurlPay.decodeUrlOrAddress(text)).to.equal(address);
        expect(text).to.equal(
          bech32.encode('lnurl', bech32.toWords(new TextEncoder().encode(address)), 4_000),
        );
      }),
    );
    expect(written).to.be.above(50);
  });

  it('of another package is read as it was meant, in either case', () => {
    let read = 0;
    fc.assert(
      fc.property(url, fc.boolean(), (address, up) => {
        const text = bech32.encode(
          'lnurl',
          bech32.toWords(new TextEncoder().encode(address)),
          4_000,
        );
        const found = orRefused(() => decodeLnurl(up ? text.toUpperCase() : text).url);
        if (found === undefined) return;
        read++;
        expect(found).to.equal(address);
      }),
    );
    expect(read).to.be.above(50);
  });
});

describe('filters', () => {
  it('have the literals of another package, whatever stands in a text', async () => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'https://pay.example',
      apiKey: 'a-key',
      fetch: async (url) => {
        asked.push(new URL(url).searchParams.get('$filter')!);
        return Response.json({ items: [], count: 0 });
      },
    });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
        if (!text.isWellFormed()) return;
        await client.invoices.list({ correlationId: text }).toArray({ limit: 1 });
        const [, other = ''] = odataQuery({ filter: { correlationId: text } }).split('$filter=');
        expect(asked.pop()).to.equal(decodeURIComponent(other));
      }),
    );
  });
});

describe('signatures of webhooks', () => {
  const secret = fc
    .string({ unit: 'grapheme-ascii', minLength: 10, maxLength: 50 })
    .filter((text) => text.trim() === text);

  it('are those of the platform, and those of the platform are accepted', async () => {
    await fc.assert(
      fc.asyncProperty(
        secret,
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        async (key, entityId, up) => {
          const body = JSON.stringify({
            id: '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11',
            eventType: 'invoice.updated',
            webhookVersion: 'v1',
            data: { entityId },
            created: '2026-03-04T09:15:27+00:00',
          });
          const signature = createHmac('sha256', key).update(body).digest('hex');
          expect(await signWebhook(body, key)).to.equal(signature.toUpperCase());
          const headers = { 'x-webhook-signature': up ? signature.toUpperCase() : signature };
          const event = await verifyWebhook({ body: new TextEncoder().encode(body), headers }, key);
          expect(event.data.entityId).to.equal(entityId);
        },
      ),
    );
  });
});
