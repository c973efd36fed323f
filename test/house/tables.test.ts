// Protects: the documents' tables say what the code says.
import { expect } from 'chai';
import * as paystate from 'paystate';
import { PaystateError } from 'paystate';
import { decisionTable, invoiceStates, serviceCodes } from 'paystate/endpoints';
import * as rx from 'paystate/rx';
import { behaviours } from 'paystate/sandbox';
import { describe, it } from '#test';
import { endpointTables } from '../unit/contract/endpoint-tables.ts';
import { MOST_REQUESTS } from '../unit/state/costs.ts';
import { textOfDocument } from './documents.ts';
import { expectNone } from './none.ts';
import { documentsWithTables, tablesIn, withTables } from './readme-tables.ts';
import { textOf } from './source.ts';

/** The rows of a chapter's table under these column titles, cells as text without code marks. */
function table(room: string, ...titles: string[]): string[][] {
  const lines = textOfDocument(`src/${room}/README.md`).split('\n');
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
  const head = lines.findIndex(
    (line) => line.startsWith('|') && cells(line).join() === titles.join(),
  );
  expect(head, `a table with the columns ${titles.join(', ')}`).to.be.at.least(0);
  const end = lines.findIndex((line, at) => at > head && !line.startsWith('|'));
  return lines.slice(head + 2, end).map(cells);
}

type ErrorClass = new (...of: ConstructorParameters<typeof PaystateError>) => PaystateError;

/** The classes that can be thrown. */
const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && value.prototype instanceof PaystateError;

describe('generated tables', () => {
  for (const document of documentsWithTables)
    it(`of ${document} are what \`npm run generate -- tables\` writes, each of them`, () => {
      const text = textOfDocument(document);
      const { marked, known } = tablesIn(document, text);
      expect(marked).to.have.members(known);
      expect(
        withTables(document, text) === text,
        'the tables are as the code is: npm run generate -- tables',
      ).to.equal(true);
    });
});

describe('the tables of the chapters', () => {
  it('name each endpoint as its row does', () => {
    const rows = Object.entries(endpointTables).flatMap(([resource, verbs]) =>
      Object.entries(verbs).map(([verb, { method, path, scope, idempotency }]) => [
        `${resource}.${verb}`,
        `${method} ${path}`,
        scope,
        idempotency,
      ]),
    );
    const named = table('resources', 'call', 'request', 'scope', 'idempotency', 'source');
    expect(
      named.map(([call, request, scope, idempotency]) => [
        call,
        request,
        `partner.${scope}`,
        idempotency,
      ]),
    ).to.have.deep.members(rows);
    const sources = new Set(named.map(([, , , , source]) => source!));
    expect(Object.keys(behaviours)).to.include.members([...sources]);
    expect([...sources]).to.include.members(['documented', 'public']);
  });

  it('name every finding of the doctor', () => {
    const [, union = ''] = /type FindingCode =([^;]*);/.exec(textOf('doctor/connection.ts'))!;
    const named = table('doctor', 'code', 'what it means').flatMap(([codes]) => codes!.split(', '));
    expect(named).to.have.members([...union.matchAll(/'(\w+)'/g)].map(([, code]) => code));
  });

  it('name every code, and every step that may come next', () => {
    expect(
      table('core/errors', 'code', 'status', 'next', 'values', 'what userMessage says').map(
        ([code, status]) => [code, Number(status)],
      ),
    ).to.deep.equal(Object.entries(serviceCodes));
    expect(
      table('core/errors', 'code of a field', 'values', 'what userMessage says').length,
    ).to.equal(7);
    const steps = new Set(decisionTable().map(({ next }) => next as string));
    expect(table('core/errors', 'next', 'do').map(([next]) => next)).to.include.members([...steps]);
  });

  it('give each state the moves and the end that it has', () => {
    const states = Object.entries(invoiceStates.transitions).map(([state, moves]) => [
      state,
      moves.join(', ') || '–',
      invoiceStates.isSettled(state) ? 'yes' : 'no',
    ]);
    expect(table('state', 'state', 'may become', 'settled')).to.have.deep.members(states);
  });

  it('name the functions of paystate/rx', () => {
    const named = table('rx', 'function', 'what it does').map(([call]) =>
      call!.replace(/\(.*/, ''),
    );
    expect(named).to.have.members(Object.keys(rx));
  });

  it('name the kinds of errors', () => {
    const kinds = Object.values<unknown>(paystate).flatMap((Thrown) =>
      isErrorClass(Thrown) ? [new Thrown('', { code: '', outcome: 'not-done' }).kind] : [],
    );
    expect(kinds).to.have.length(7);
    const rows = table('core/errors', 'kind', 'class', 'who must act');
    expect(rows.map(([kind]) => kind)).to.have.members(kinds);
    expectNone(rows.map(([, name]) => name!).filter((name) => !(name in paystate)));
  });

  it('promise no more about the cost of watching than a test holds', () => {
    const promised = table(
      'state/plan',
      'invoices watched',
      'requests in any minute, at most',
      'blocked by the service',
    );
    expect(promised).to.deep.equal(
      MOST_REQUESTS.map(([count, most]) => [count.toLocaleString('en'), String(most), 'never']),
    );
  });
});
