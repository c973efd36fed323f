// Bodies of our own making that a parser, a schema or a memory may stumble over.

const INVOICE: Members = {
  invoiceId: '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11',
  amount: { amount: '12.50', currency: 'EUR' },
  state: 'UNPAID',
  created: '2026-03-04T09:15:27.4812593+00:00',
  issuerId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
  receiverId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
};
export const GOOD = JSON.stringify(INVOICE);
const REFUSAL = JSON.stringify({
  traceId: 't',
  data: {
    code: 'NOT_FOUND',
    status: 404,
    message: 'for developers',
    values: { id: 'x' },
    validationErrors: { amount: [{ code: 'INVALID_DATA_REQUIRED', message: 'x' }] },
  },
});
const PAGE = JSON.stringify({ items: [INVOICE, INVOICE], count: 2, isCountUnknown: false });

/** Texts that are no JSON, or JSON of a kind that nobody expects. */
const ODD = [
  '',
  ' ',
  '\n',
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-',
  '1e999',
  '-1e999',
  '1E+2',
  '01',
  '.5',
  '5.',
  '+1',
  '0x10',
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '""',
  '"x',
  "'x'",
  '"\\u12"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\x41"',
  '"\t"',
  '"\u0000"',
  '"\u2028"',
  '"\u007f"',
  '[]',
  '[',
  ']',
  '[1',
  '[1,',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[[]',
  '[]]',
  '{}',
  '{',
  '}',
  '{"a"',
  '{"a":',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{"a":1 "b":2}',
  "{'a':1}",
  '{a:1}',
  '{"a":1}}',
  '{"a":1}x',
  '{"a":1}{"b":2}',
  '// x\n{}',
  '/* x */{}',
  '{}//x',
  '{}\u0000',
  '\ufeff{}',
  '\ufeff' + GOOD,
  'x',
  '<!doctype html><title>x</title>',
  '<html><body>502</body></html>',
  '<?xml version="1.0"?><x/>',
  'HTTP/1.1 200 OK',
  'data: x\n\n',
  'a=1&b=2',
  '\u001f\u008b\u0008',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"valueOf":1}',
  '{"then":1}',
  '{"toJSON":1}',
  '{"length":-1}',
  '{"data":null}',
  '{"data":{"code":7}}',
  '{"data":{"code":"__proto__"}}',
  '{"data":{"code":"toString","values":{"__proto__":1}}}',
  '{"data":{"code":""}}',
  '{"data":{"code":"NOT_FOUND","values":"x"}}',
  '{"data":{"code":"NOT_FOUND","values":[1]}}',
  '{"data":{"code":"NOT_FOUND","validationErrors":"x"}}',
  '{"data":{"code":"NOT_FOUND","validationErrors":{"a":7}}}',
  '{"data":[]}',
  '{"data":"x"}',
  '{"data":{"code":["NOT_FOUND"]}}',
  '{"traceId":{"a":1},"data":{"code":"NOT_FOUND"}}',
  `{"data":{"code":"${'X'.repeat(100_000)}"}}`,
  '{"items":null}',
  '{"items":{}}',
  '{"items":[null]}',
  '{"items":[{}],"count":"2"}',
  '{"items":[],"count":-1}',
  '{"items":[],"count":1e400}',
  '{"items":[],"count":1.5}',
  '{"items":7}',
];

/** Values that are wrong for any member. */
const WRONG: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'x',
  [],
  {},
  [[]],
  { a: { a: {} } },
  '\u0000',
  '\ud800',
  12.5,
  { __proto__: null },
  'x'.repeat(1_000),
];

type Members = Readonly<Record<string, unknown>>;

/** The object with another value at a path. */
function set(object: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const members = object as Members;
  return { ...members, [name]: set(members[name], rest, value) };
}

/** Bodies, with the paths of their members. */
const MEMBERS: readonly (readonly [whole: Members, paths: readonly (readonly string[])[]])[] = [
  [
    INVOICE,
    [
      ['invoiceId'],
      ['amount'],
      ['amount', 'amount'],
      ['amount', 'currency'],
      ['state'],
      ['created'],
      ['issuerId'],
      ['transactions'],
    ],
  ],
  [
    JSON.parse(REFUSAL) as Members,
    [
      ['traceId'],
      ['data'],
      ['data', 'code'],
      ['data', 'values'],
      ['data', 'status'],
      ['data', 'validationErrors'],
    ],
  ],
  [JSON.parse(PAGE) as Members, [['items'], ['count'], ['isCountUnknown']]],
];

/** Each member of an invoice and a refusal in turn made wrong, doubled, or left out. */
function wrongMembers(): readonly string[] {
  return MEMBERS.flatMap(([whole, paths]) =>
    paths.flatMap((path) => {
      const text = JSON.stringify(whole);
      const name = `"${path.at(-1)}":`;
      return [
        ...WRONG.map((value) => JSON.stringify(set(whole, path, value))),
        text.replace(name, `${name}1,${name}`),
        text.replace(name, '"gone":'),
      ];
    }),
  );
}

/** Good bodies cut after each byte, and with single letters changed. */
function damaged(): readonly string[] {
  const found: string[] = [];
  for (const text of [GOOD, REFUSAL, PAGE]) {
    for (let at = 0; at < text.length; at++) found.push(text.slice(0, at));
    for (let at = 0; at < text.length; at += 2)
      for (const letter of ['"', '{', '\u0000', '9', ','])
        found.push(text.slice(0, at) + letter + text.slice(at + 1));
  }
  return found;
}

const deep = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + close.repeat(depth);

/** Nested as deep as said, closed and not: each made when it is asked for. */
export const deepBodies = (deepest: number): readonly (() => string)[] =>
  [100, 10_000, 100_000, 1_000_000]
    .filter((depth) => depth <= deepest)
    .flatMap((depth) => [
      () => deep('[', ']', depth),
      () => '['.repeat(depth),
      () => '{"a":'.repeat(depth),
      () => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      () => GOOD.replace(/}$/, `,"news":${deep('[', ']', depth)}}`),
      () => `{"data":{"code":"NOT_FOUND","values":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}`,
    ]);

export const oddBodies = (): readonly string[] => ODD;
export const smallBodies = (): readonly string[] => [...wrongMembers(), ...damaged()];
