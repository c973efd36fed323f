// Mutants that change nothing anyone could see, each with the reason. They are left out of the
// score.
export interface Equivalent {
  readonly file: string;
  /** The line of the sources on which the mutant begins, without the spaces before it. */
  readonly line: string;
  /** The code, and what replaces it, as `npm run mutate` prints them. */
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'src/lightning/bitcoin-uri.ts',
    line: "const [address = '', ...rest] = bare.slice(8).replace(/^\\/\\//, '').split('?');",
    from: "''",
    to: '"Stryker was here!"',
    reason: 'a text that is split has a first part: the default is for the compiler',
  },
  {
    file: 'src/money/decimal.ts',
    line: "const [, sign, whole = ''] = /(-?)(.+)/.exec(`${digits}`)!;",
    from: "''",
    to: '"Stryker was here!"',
    reason: 'the pattern matches every number: the default is for the compiler',
  },
  {
    file: 'src/money/decimal.ts',
    line: 'return power > 0 ? 10n ** BigInt(power) : 1n;',
    from: 'power > 0',
    to: 'power >= 0',
    reason: 'ten to the power of zero is one in either branch',
  },
  {
    file: 'src/money/format.ts',
    line: 'const isBelow = /^-.*[1-9]/.test(amount);',
    from: '/^-.*[1-9]/',
    to: '/-.*[1-9]/',
    reason: 'an amount has a minus at its beginning only: `parseMoney` has checked it',
  },
  {
    file: 'src/relay/account-rows.ts',
    line: "this.#alone('feed', () => this.#feed()),",
    from: "'feed'",
    to: '""',
    reason: 'the name tells it from the other two works of the account, as any text would',
  },
  {
    file: 'src/relay/account-rows.ts',
    line: "const SUBSCRIBING = 'subscription';",
    from: "'subscription'",
    to: '""',
    reason: 'the name tells its row from those of other turns, as any text would',
  },
];
