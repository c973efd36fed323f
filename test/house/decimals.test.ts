// Protects: one definition of a decimal text, which schemas, money and the OpenAPI file share.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { scale } from '../../src/core/http/index.ts';
import { DECIMAL, UNSIGNED_DECIMAL } from '../../src/money/decimal.ts';
import { root } from './source.ts';

const document: unknown = JSON.parse(readFileSync(join(root, 'dist/openapi.json'), 'utf8'));

/** Every pattern of the file, with the name of its member. */
function patternsIn(value: unknown, name = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'pattern' && typeof member === 'string'
      ? [[name, member] as const]
      : patternsIn(member, key === 'anyOf' || /^\d+$/.test(key) ? name : key),
  );
}

describe('decimal texts', () => {
  it('have the pattern of schemas and money in the OpenAPI file', () => {
    const patterns = patternsIn(document).filter(([, pattern]) => pattern.includes('\\d{1,'));
    const isAddress = (pattern: string) => pattern.includes('127');
    expect(patterns.filter(([, pattern]) => !isAddress(pattern))).to.deep.equal([
      ['Decimal', DECIMAL.source],
      ['DecimalDraft', UNSIGNED_DECIMAL.source],
    ]);
  });

  it('are written down once, and core counts in units of their last digit', () => {
    for (const file of ['resources/amounts.schemas.ts', 'money/money.ts', 'resources/drift.ts'])
      expect(readFileSync(join(root, 'src', file), 'utf8'), file).not.to.contain('\\d{1,');
    const last = `0.${'0'.repeat(29)}1`;
    expect([DECIMAL.test(last), scale(last)]).to.deep.equal([true, 1n]);
    expect(DECIMAL.test(`${last}0`)).to.equal(false);
  });
});
