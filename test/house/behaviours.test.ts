// Protects: what the sandbox only assumes is marked. Every refusal rests on a behaviour, every behaviour of the tables is
// relied on. That code names no others is checked by the compiler: ids are a union of the tables' keys.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { serviceCodes } from 'paystate/endpoints';
import { describe, it } from '#test';
import {
  knownBehaviours,
  provenanceRules as rulesOf,
} from '../../src/sandbox/provenance/recorder.ts';
import { allEndpoints as rows } from '../unit/contract/endpoint-tables.ts';
import { expectNone } from './none.ts';
import { sourceFiles, textOf } from './source.ts';

/** The description of the service is kept outside of the project. */
const description = fileURLToPath(new URL('../../../shared/spec/service.md', import.meta.url));

const TABLES =
  /^sandbox\/provenance\/(alternatives|assumed(-\w+)?|inferred|public|documented)\.ts$/;
const texts = sourceFiles
  .filter((file) => file.startsWith('sandbox/') && !TABLES.test(file))
  .map((file) => [file, textOf(file)] as const);
const codes = ['ok', ...Object.keys(serviceCodes)];
const ids: readonly string[] = [...knownBehaviours.keys()];

const statementsIn = (text: string): readonly string[] =>
  text
    .split(/;\n|(?<=\)|=>) \{\n/)
    .map((statement) => statement.replace(/([([])?\s*\n\s*/g, (_, open) => open ?? ' '));

/** Ids of behaviours that stand in a text. */
const idsIn = (text: string): readonly string[] => ids.filter((id) => text.includes(`'${id}'`));

const ruled = new Set<string>(rows.flatMap((row) => codes.flatMap((code) => rulesOf(row, code))));
const named = new Set(texts.flatMap(([, text]) => idsIn(text)));

describe('behaviours of the sandbox', () => {
  it('state one fact each, in one sentence', () => {
    const several = [...knownBehaviours.values()].filter(
      ({ says }) => !/[.…]$/.test(says) || /[.…] ["`$A-Z]/.test(says),
    );
    expectNone(several.map(({ id, says }) => `${id}: ${says}`));
  });

  it('that are documented cite words of one line of the description, and no others cite any', ({
    skip,
  }) => {
    const cited = [...knownBehaviours.values()].filter(({ cites }) => cites !== undefined);
    expectNone(cited.filter(({ source }) => source !== 'documented').map(({ id }) => id));
    if (!existsSync(description)) return skip('not run: the description is not in this clone');
    const lines = readFileSync(description, 'utf8').split('\n');
    expect(cited.length).to.be.at.least(35);
    expectNone(
      cited
        .filter(({ cites }) => !lines.some((line) => line.includes(cites!)))
        .map(({ id, cites }) => `${id}: ${cites}`),
    );
  });

  it('of codes that the description shows at no endpoint are not documented', () => {
    const found = [
      'payment-quotes.once',
      'payment-quotes.expired',
      'exchanges.once',
      'exchanges.expired',
      'payouts.once',
      'bolt11.own',
      'bolt11.paid',
      'bolt11.network',
    ].map((id) => [...knownBehaviours.values()].find((one) => one.id === id)!.source);
    expect(new Set(found)).to.deep.equal(new Set(['inferred']));
  });

  it('that stand in the tables are relied on somewhere', () => {
    expect(named.size).to.be.at.least(30);
    expectNone(ids.filter((id) => !ruled.has(id) && !named.has(id)));
  });

  it('that responses rest on by rule have responses: no rule looks for what no endpoint gives', () => {
    const dead = [...knownBehaviours.values()].flatMap(({ id, on = [] }) =>
      on.length > 0 && !ruled.has(id) ? [id] : [],
    );
    expectNone(dead);
  });

  it('are behind every refusal: none is thrown for a code that nothing but the envelope speaks of', () => {
    const thrown = texts.flatMap(([file, text]) =>
      statementsIn(text).flatMap((line) =>
        [
          ...line.matchAll(/new ServiceRefusal\((?:'([A-Z_]+)'|.*'([A-Z_]+)' : '([A-Z_]+)'\))/g),
        ].flatMap(([, one, two, three]) =>
          [one, two, three]
            .filter((code) => code !== undefined)
            .map((code) => ({ place: `${file} ${code}`, code, line })),
        ),
      ),
    );
    expect(thrown.length).to.be.at.least(50);
    const isGrounded = (code: string): boolean =>
      rows.some((row) => rulesOf(row, code).some((id) => id !== 'errors.envelope'));
    expectNone(
      thrown
        .filter(
          ({ code, line }) =>
            !/^(NOT_FOUND|INVALID_DATA)$/.test(code) &&
            !isGrounded(code) &&
            idsIn(line).length === 0,
        )
        .map(({ place }) => place),
    );
  });
});
