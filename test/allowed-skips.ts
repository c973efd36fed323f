// Tests that may be skipped where the variable `CI` is `true`. An entry whose leg has no such test is a failure.
export interface AllowedSkip {
  readonly leg: string;
  /** The end of the test's full title. */
  readonly title: string;
  readonly why: string;
}

const VECTORS = [
  'bip21/bip21.json',
  'bitcoin-addresses/bech32-segwit.json',
  'bitcoin-addresses/key_io.json',
  'bolt11/invalid.json',
  'bolt11/valid.json',
  'date-time/date-time.json',
  'hmac/rfc4231.json',
  'hmac/wycheproof-hmac-sha256.json',
  'lnurl/lnurl.json',
  'retry-after/http-date.json',
  'retry-after/retry-after.json',
];

const vectors = VECTORS.map((file) => ({
  leg: 'vectors',
  title: `${file} is there`,
  why: 'published vectors have licences of their own and are kept outside the repository',
}));

export const allowedSkips: readonly AllowedSkip[] = [
  ...vectors,
  {
    leg: 'house',
    title: 'that are documented cite words of one line of the description, and no others cite any',
    why: "the service's description is kept outside the repository",
  },
];
