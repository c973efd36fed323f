// Protects: what the sandbox only assumes is marked. Every refusal has a ground, every mark a line in the tables, every line a mark.
import { expect } from 'chai';
import * as endpoints from 'paystate/endpoints';
import { SERVICE_CODES } from 'paystate';
import { describe, it } from '#test';
import { known } from '../../src/sandbox/provenance/behaviours.ts';
import { createGrounds } from '../../src/sandbox/provenance/rules.ts';
import { expectNone } from './none.ts';
import { sourceFiles, textOf } from './source.ts';

const files = sourceFiles.filter(
  (file) => file.startsWith('sandbox/') && !file.startsWith('sandbox/provenance/'),
);
const texts = files.map((file) => [file, textOf(file)] as const);
const rows = Object.values(endpoints).flatMap((noun) => Object.values(noun));
const codes = ['ok', ...Object.keys(SERVICE_CODES)];

/** Ids that code names: where it relies, notes, refuses, or lists what it rests on. */
const MARK = /'([a-z\d]+(?:-[a-z\d]+)*(?:\.[a-z-]+)+|keys|faults)'/g;
const MARKING =
  /relies\(|reliance\.note\(|badQuery\('|BareStatus\(\d|invalidData\(.*\],? '|new Refusal\(.*undefined, |const (FIRST|LATER|RESTS) =/;

const statementsIn = (text: string): readonly string[] =>
  text
    .split(/;\n|(?<=\)|=>) \{\n/)
    .map((statement) => statement.replace(/([([])?\s*\n\s*/g, (_, open) => open ?? ' '));

const marksIn = (text: string): readonly string[] =>
  statementsIn(text)
    .filter((line) => MARKING.test(line))
    .flatMap((line) => [...line.matchAll(MARK)].map(([, id]) => id!));

const groundsOf = createGrounds();
const ruled = new Set(rows.flatMap((row) => codes.flatMap((code) => groundsOf(row, code))));
const marked = new Set(texts.flatMap(([, text]) => marksIn(text)));

describe('behaviours of the sandbox', () => {
  it('that code names stand in the tables', () => {
    expect(marked.size).to.be.at.least(30);
    expectNone([...marked].filter((id) => !known.has(id)));
  });

  it('that stand in the tables are relied on somewhere', () => {
    expectNone([...known.keys()].filter((id) => !ruled.has(id) && !marked.has(id)));
  });

  it('that answers rest on by rule have answers: no rule looks for what no row gives', () => {
    const dead = [...known.values()].flatMap(({ id, on = [] }) =>
      on.length > 0 && !ruled.has(id) ? [id] : [],
    );
    expectNone(dead);
  });

  it('are behind every refusal: none is thrown for a code that nothing but the envelope speaks of', () => {
    const thrown = texts.flatMap(([file, text]) =>
      statementsIn(text).flatMap((line) =>
        [...line.matchAll(/new Refusal\((?:'([A-Z_]+)'|.*'([A-Z_]+)' : '([A-Z_]+)'\))/g)].flatMap(
          ([, one, two, three]) =>
            [one, two, three]
              .filter((code) => code !== undefined)
              .map((code) => ({ place: `${file} ${code}`, code, line })),
        ),
      ),
    );
    expect(thrown.length).to.be.at.least(50);
    const isGrounded = (code: string): boolean =>
      rows.some((row) => groundsOf(row, code).some((id) => id !== 'errors.envelope'));
    expectNone(
      thrown
        .filter(
          ({ code, line }) =>
            !/^(NOT_FOUND|INVALID_DATA)$/.test(code) &&
            !isGrounded(code) &&
            marksIn(line).length === 0,
        )
        .map(({ place }) => place),
    );
  });
});
