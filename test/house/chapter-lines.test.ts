// Protects: whoever meets an error code, a scope or a rate limit finds its line in the chapter, and the line about money is true.
import { expect } from 'chai';
import { productionRateLimits, testRateLimits } from 'paystate';
import { decide, decisionTable, serviceCodes } from 'paystate/endpoints';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { CODE_ROWS, FIELD_ROWS, type KnownCode, OWN_ROWS } from '../../src/core/errors/codes.ts';
import { allEndpoints } from '../unit/contract/endpoint-tables.ts';
import { budgets } from './budgets.ts';
import { tableIn } from './documents.ts';
import { expectNone } from './none.ts';
import { textOf } from './source.ts';

const ERRORS = 'src/core/errors/in-detail.md';

const firstCells = (document: string, ...titles: readonly string[]): readonly string[] =>
  tableIn(document, ...titles).map(([first]) => first!.replaceAll('`', ''));

/** The meaning of each code. A code of the service may be that of a field, too. */
const meanings = tableIn(
  'src/core/errors/codes/README.md',
  'code',
  'what happened',
  'the money',
  'what to do now',
).map(([code, happened, money, now]) => ({
  code: code!.replaceAll('`', ''),
  happened,
  money,
  now,
}));

/** Codes of commands that move no money by themselves, although what they made may exist. */
const MOVE_NONE: readonly string[] = [
  'DUPLICATE_INVOICE',
  'DUPLICATE_PAYMENT_QUOTE',
  'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
  'INVALID_STATE_FOR_INVOICE_CANCELLED',
  'LIST_UNSTABLE',
];

const COMMANDS = [...new Set(decisionTable().map(({ idempotency }) => idempotency))].filter(
  (idempotency) => idempotency !== 'safe' && idempotency !== 'pure',
);

/** True if no money can have moved when a command ends with this code. */
const movesNone = (code: string): boolean =>
  MOVE_NONE.includes(code) ||
  COMMANDS.every((one) => decide(code as KnownCode, one, 'responded').outcome === 'not-done');

describe('the chapters have a line', () => {
  it('for each error code: its status or step, what happened, the money, what to do', () => {
    const codes = 'what `userMessage` says';
    expect(firstCells(ERRORS, 'code', 'status', '`next`', '`values`', codes)).to.have.members(
      Object.keys(serviceCodes),
    );
    expect(firstCells(ERRORS, 'code of a field', '`values`', codes)).to.have.members(
      Object.keys(FIELD_ROWS),
    );
    expect(firstCells(ERRORS, 'code of ours', '`next`', codes)).to.have.members(
      Object.keys(OWN_ROWS),
    );
    expect([...new Set(meanings.map(({ code }) => code))]).to.have.members(Object.keys(CODE_ROWS));
    expectNone(meanings.filter(({ happened, money, now }) => !happened || !money || !now));
  });

  it('which says that no money moved exactly where that is certain', () =>
    expectNone(
      meanings.filter(({ code, money }) => money!.startsWith('None moved') !== movesNone(code)),
    ));

  it('for each assumption of the sandbox, with its usual value and the others', () => {
    const lines = tableIn('src/sandbox/provenance/in-detail.md', '`assume`', 'usual', 'or');
    const named = lines.map((cells) =>
      cells.flatMap((cell, at) =>
        [...cell.matchAll(/`([\w.-]+)`/g)].slice(0, at < 2 ? 1 : undefined).map(([, name]) => name),
      ),
    );
    const known = createSandbox().assumptions.map(({ id, value, options }) => [
      id,
      value,
      ...options.map((option) => option.value).filter((other) => other !== value),
    ]);
    expect(named).to.have.deep.members(known);
  });

  it('for each finding of the doctor', () => {
    const [, union = ''] = /type FindingCode =([^;]*);/.exec(textOf('doctor/connection.ts'))!;
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
    const named = firstCells('src/doctor/README.md', 'code', 'what it means');
    expect(named.flatMap((cell) => cell.split(', '))).to.have.members(codes);
  });

  it('for each operation, with its scope', () => {
    const titles = ['call', 'request', 'scope', '`idempotency`', 'source'];
    const lines = tableIn(
      'src/resources/in-detail.md',
      ...titles.map((title) => title.replaceAll('`', '')),
    );
    expect(lines.map(([, request, scope]) => `${request} partner.${scope}`)).to.have.members(
      allEndpoints.map(({ method, path, scope }) => `${method} ${path} ${scope}`),
    );
  });

  it('for each rate limit, with its requests in a window', () => {
    const titles = ['requests', 'limit', "limit of the service's test environment", 'block'];
    const lines = tableIn('src/core/in-detail.md', ...titles);
    const inWindow = ({ limit, window }: { readonly limit: number; readonly window: number }) =>
      `${limit.toLocaleString('en')} in ${window / 60_000} min`;
    expect(
      lines.map(([name, ...rest]) => [name!.replaceAll('`', ''), ...rest]),
    ).to.have.deep.members(
      Object.entries(productionRateLimits).map(([name, limit]) => [
        name,
        inWindow(limit),
        inWindow(testRateLimits[name as keyof typeof testRateLimits]),
        `${limit.block / 60_000} min`,
      ]),
    );
  });

  it('for the size of each import', () => {
    const lines = tableIn(
      'src/core/in-detail.md',
      'import',
      'kB at most',
      'with what is loaded later',
    );
    const inTenths = (kilobytes: number) => `${Number(kilobytes.toFixed(1))}`;
    expect(lines).to.have.deep.members(
      budgets.map(({ code, kilobytes, live }) => [
        `\`${code.split(' globalThis')[0]!.replace(/;$/, '')}\``,
        inTenths(kilobytes),
        live ? `${inTenths(live.kilobytes)} ${live.until}` : '',
      ]),
    );
  });
});
