// Protects: every code that this package throws has its row in the one table of codes, with the kind of the error that
// carries it. A code without a row has no text for users, no next step of its own, and no type.
import { expect } from 'chai';
import { describe, it } from '#test';
import { CODE_ROWS, type CodeRow, findMeaning, SERVICE_ROWS } from '../../src/core/errors/codes.ts';
import { expectNone } from './none.ts';
import { type Node, nodesOf, sourceFiles, textOf } from './source.ts';

const CODE = /^[A-Z]+(_[A-Z]+)*$/;
const MEMBERS = [
  'status',
  'kind',
  'next',
  'exists',
  'isUnknown',
  'isLocal',
  'isState',
  'transient',
];

/** The development tools are left out: their errors say nothing about the service. */
const rooms = sourceFiles.filter((file) => !/^(sandbox|cli|testing)\//.test(file));

const codeIn = (node: unknown): string | undefined => {
  const { type, value } = (node ?? {}) as Node;
  return type === 'Literal' && typeof value === 'string' && CODE.test(value) ? value : undefined;
};

const nameOf = (node: unknown): string | undefined => (node as { name?: string } | null)?.name;

/** `code: 'X'` of an object, `code = 'X'` as a default. */
const memberCode = ({ type, key, value, left, right }: Node): string | undefined =>
  type === 'Property' && nameOf(key) === 'code'
    ? codeIn(value)
    : type === 'AssignmentPattern' && nameOf(left) === 'code'
      ? codeIn(right)
      : undefined;

/** The functions that make an error of a code, or an end of an attempt. */
const MAKERS = ['failed', 'end', 'refusal', 'loginError'];

const madeCode = ({ type, callee, arguments: given }: Node): string | undefined =>
  type === 'CallExpression' && MAKERS.includes(nameOf(callee) ?? '')
    ? codeIn((given as unknown[])[0])
    : undefined;

/** `new XError(…, { code: 'Y' })`: kind and code. */
const thrown = ({ type, callee, arguments: given }: Node): [string, string] | undefined => {
  const [, kind] = /^(Input|Refused|Unreachable|Response|Webhook|Authentication)Error$/.exec(
    (type === 'NewExpression' && nameOf(callee)) || '',
  ) ?? [undefined, undefined];
  const facts = (given as { properties?: Node[] }[] | undefined)?.[1]?.properties ?? [];
  const code = facts.flatMap((member) => memberCode(member) ?? [])[0];
  return kind && code ? [kind.toLowerCase(), code] : undefined;
};

const found = rooms.map((file) => ({ file, nodes: [...nodesOf(textOf(file))] }));

describe('the table of codes', () => {
  it('has a row for each code that src throws', () => {
    const codes = found.flatMap(({ file, nodes }) =>
      nodes.flatMap((node) => {
        const code = memberCode(node) ?? madeCode(node);
        return code === undefined ? [] : [{ file, code }];
      }),
    );
    const names = new Set(codes.map(({ code }) => code));
    expect([...names]).to.include.members(['TIMEOUT', 'LOGIN_REFUSED', 'SIGNATURE_MISSING']);
    expectNone(codes.filter(({ code }) => !Object.hasOwn(CODE_ROWS, code)));
  });

  it('names the kind of the error that carries a code of this package', () => {
    const pairs = found.flatMap(({ nodes }) => nodes.flatMap((node) => [thrown(node) ?? []]));
    // After a renewal without another token, the caller is told what the service said of the first
    // one.
    const known = pairs.filter(([, code]) => code !== undefined && code !== 'TOKEN_UNAVAILABLE');
    expect(known.length).to.be.above(10);
    expectNone(
      known.filter(([kind, code]) => {
        const { kind: told } = CODE_ROWS[code!] ?? {};
        return told !== undefined && told !== kind;
      }),
    );
  });

  it('has rows of known members only, each with a status, a kind, or both', () => {
    for (const [code, row] of Object.entries(CODE_ROWS)) {
      expect(MEMBERS, code).to.include.members(Object.keys(row));
      expect(row.status ?? row.kind, code).not.to.equal(undefined);
    }
  });

  it('says of each code of the service what a call takes it for', () => {
    const said = ({ exists, next, isState, transient }: CodeRow) => [
      exists,
      next,
      isState,
      transient,
    ];
    for (const [code, row] of Object.entries(SERVICE_ROWS))
      expect(said(findMeaning(code)), code).to.deep.equal(said(row));
  });

  it('takes nothing for "not done" that bears a name of what exists, today or tomorrow', () => {
    for (const code of ['DUPLICATE_TOMORROW', 'PROCESSING_TOMORROW', 'TOMORROW_PROCESSED'])
      expect(findMeaning(code), code).to.deep.equal({ exists: true, next: 'read-first' });
    for (const code of ['A_CODE_OF_TOMORROW', 'toString', '__proto__', 'TOMORROW_EXPIRED'])
      expect(findMeaning(code), code).to.deep.equal({});
  });
});
