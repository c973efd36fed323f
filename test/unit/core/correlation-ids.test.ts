import { expect } from 'chai';
import { correlationIdFor } from 'paystate';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf, openShop } from './shop.ts';

const NAMES = [
  'order-1',
  'order-1.2',
  'order-1.02',
  'order-1.',
  'order',
  'A',
  'a',
  '7781',
  '7781.5',
  'x'.repeat(36),
  'x'.repeat(37),
  'x'.repeat(38),
  'x'.repeat(5_000),
  'größe',
  'größe ',
  ' größe',
  '日本',
  '🎟️',
  'a b',
  'a/b',
  'a#b',
  "o'neil",
  'ü',
  'u\u0308',
  'h-',
  'h-aaaaaaaaaaaaaaaaaaaaaaaaaa',
  'H-AAAAAAAAAAAAAAAAAAAAAAAAAA',
  '\0',
  '\n',
  '.',
  '..',
  '...',
  '__proto__',
];

describe('a page without https', () => {
  it('is told that it can hash no name, and what to do; plain names need no hash', async () => {
    Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true });
    try {
      expect(await correlationIdFor('order-1', 2)).to.equal('order-1.2');
      const error = await failureOf(correlationIdFor('größe'));
      expect(error).to.include({ kind: 'input', outcome: 'not-done', next: 'fix-input' });
      expect(error.message).to.include('Use https://, or up to').and.not.include('größe');
    } finally {
      Reflect.deleteProperty(crypto, 'subtle');
    }
  });
});

describe('correlationIdFor', () => {
  it('keeps short plain names readable', async () => {
    expect(await correlationIdFor('order-7781')).to.equal('order-7781');
    expect(await correlationIdFor('order-7781', 2)).to.equal('order-7781.2');
    expect(await correlationIdFor('x'.repeat(36), 999)).to.equal(`${'x'.repeat(36)}.999`);
  });

  it('hashes the rest, the same in every runtime', async () => {
    expect(await correlationIdFor('').catch((error: { kind: string }) => error.kind)).to.equal(
      'input',
    );
    expect(await correlationIdFor('abc def')).to.match(/^h-[a-z2-7]{26}$/);
    expect(await correlationIdFor('größe', 3)).to.match(/^h-[a-z2-7]{26}\.3$/);
    // SHA-256 of "a b" begins c8687a08aa5d6ed2044328fa6a697ab8
    expect(await correlationIdFor('a b')).to.equal(
      `h-${base32('c8687a08aa5d6ed2044328fa6a697ab8')}`,
    );
    // and of größe d353…; its last bits count too
    expect(await correlationIdFor('größe')).to.equal(
      `h-${base32('d353a2671b67afff0941ae456e5c76e9')}`,
    );
  });

  itLong('never names two orders, or two attempts, alike', async () => {
    const ids = new Map<string, string>();
    for (const name of NAMES)
      for (const attempt of [1, 2, 3, 22, 999]) {
        const id = await correlationIdFor(name, attempt);
        expect(id.length, name).to.be.at.most(40);
        expect(id).to.match(/^[\w.-]+$/);
        expect(ids.get(id), `${name} ${attempt} and ${ids.get(id)}`).to.equal(undefined);
        ids.set(id, `${name} ${attempt}`);
        expect(await correlationIdFor(name, attempt)).to.equal(id);
      }
    for (let order = 0; order < 3_000; order++) {
      const id = await correlationIdFor(`Kunde ${order}`);
      expect(ids.has(id)).to.equal(false);
      ids.set(id, `${order}`);
    }
  });

  it('refuses what has no name', async () => {
    for (const orderId of [
      '',
      '\ud800',
      'a\udc00',
      7 as unknown as string,
      undefined as unknown as string,
    ])
      expect((await failureOf(correlationIdFor(orderId))).validationErrors).to.have.property(
        'orderId',
      );
    for (const attempt of [0, -1, 1.5, Number.NaN, 1_000, '2' as unknown as number])
      expect((await failureOf(correlationIdFor('a', attempt))).validationErrors).to.have.property(
        'attempt',
      );
  });

  it('makes a changed price collide', async () => {
    const { client, run } = openShop();
    const correlationId = await correlationIdFor('order-1');
    await run(client.invoices.create({ ...DRAFT, correlationId }));
    expect(
      (
        await failureOf(
          run(
            client.invoices.create({ amount: { amount: '20.00', currency: 'EUR' }, correlationId }),
          ),
        )
      ).code,
    ).to.equal('DUPLICATE_INVOICE');
  });
});

/** RFC 4648 base32 of 16 bytes, written another way than the package does it. */
function base32(hex: string): string {
  const bits = `${hex
    .match(/../g)!
    .map((pair) => Number.parseInt(pair, 16).toString(2).padStart(8, '0'))
    .join('')}00`;
  return bits
    .match(/.{5}/g)!
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)])
    .join('');
}
