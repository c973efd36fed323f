// Protects: elements, devtools, the sandbox's page and the stage take colours, radius and rows from one file.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { tokensFor } from '../../src/elements/look.ts';
import { root } from './source.ts';

const TOKENS = 'src/elements/look.ts';

/** Shadows are of black. A QR code is dark on light in every scheme; the demo's shop has colours of its own, as a merchant has. */
const files = globSync('{src/**/*.ts,demo/serve/*.css}', { cwd: root }).filter(
  (file) => file !== TOKENS && !file.startsWith('src/generated/'),
);

const COLOUR = /(?<=[:,('"`]\s?)#(?:[\da-f]{6}|[\da-f]{3})(?![\w-])|\blight-dark\(|\bhsla?\(/gi;
const BLACK_OR_WHITE = /^#(?:000|fff|000000|ffffff)$/i;
/** A size that a token has, written in a style sheet of the devtools. */
const SIZE = /border-radius:8px|min-height:28px/g;

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const coloursIn = (file: string): string[] =>
  [...textOf(file).matchAll(COLOUR)]
    .map(([colour]) => colour)
    .filter((colour) => !BLACK_OR_WHITE.test(colour))
    .map((colour) => `${file} has ${colour}`);

describe('tokens', () => {
  it('are the only colours', () => {
    expect(textOf(TOKENS).match(COLOUR)).to.have.length.above(20);
    expectNone(files.flatMap(coloursIn));
  });

  // The example is copied without the package's source, so its style sheet holds the tokens themselves.
  it('are those of the back office, which has no others', () => {
    const [, tokens, others] = textOf('worker-example/page/office.css').split(
      /\/\* \/?tokens \*\/\n/,
    );
    expect(tokens!.trim()).to.equal(tokensFor(':root').trim());
    expectNone([...(others!.match(COLOUR) ?? [])]);
  });

  it('are the sizes of rows and controls in the devtools', () =>
    expectNone(
      ['devtools-panel', 'look'].flatMap(
        (name) => textOf(`src/devtools/${name}.ts`).match(SIZE) ?? [],
      ),
    ));
});
