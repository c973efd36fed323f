// Protects: every recipe of the cookbook is short, says its task, runs as it stands, and gives what its index promises.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { linksIn, textOfDocument } from './documents.ts';
import { expectNone } from './none.ts';
import { COOKBOOK, RECIPES, taskOf, textOfRecipe } from './recipes.ts';
import { root } from './source.ts';

const MOST_LINES = 40;
const MOST_COMMENT_LINES = 3;
const LAST_LINE = 'if (import.meta.main) console.log(await example());\n';

const names = Object.values(RECIPES).flatMap((part) => Object.keys(part));
const files = globSync('*.ts', { cwd: join(root, COOKBOOK) }).map((file) => basename(file, '.ts'));

/** Runs a recipe, and returns its result without its output. */
async function resultOf(name: string): Promise<unknown> {
  const say = console.log;
  console.log = () => {};
  try {
    const { example } = (await import(join(root, COOKBOOK, `${name}.ts`))) as {
      example(): Promise<unknown>;
    };
    return await example();
  } finally {
    console.log = say;
  }
}

describe('the cookbook', () => {
  it('has at least thirty recipes, and all of them in its index', () => {
    expect(files).to.have.members(names);
    const links = linksIn(textOfDocument(`${COOKBOOK}/README.md`));
    expectNone(names.filter((name) => !links.includes(`${name}.ts`)));
    expect(names.length).to.be.at.least(30);
  });

  it(`says each task in one to three lines, and shows it in at most ${MOST_LINES}`, () => {
    const isWrong = (name: string): boolean => {
      const lines = textOfRecipe(name).trimEnd().split('\n');
      const comment = lines.findIndex((line) => !line.startsWith('//'));
      return (
        lines.length > MOST_LINES ||
        comment < 1 ||
        comment > MOST_COMMENT_LINES ||
        lines.some((line) => line.length > 100) ||
        !/[.:]( |$)/.test(taskOf(name)) ||
        !textOfRecipe(name).endsWith(LAST_LINE)
      );
    };
    expectNone(names.filter(isWrong));
  });

  for (const [part, recipes] of Object.entries(RECIPES))
    for (const [name, expected] of Object.entries(recipes))
      it(`${part}: ${name} gives what it is expected to`, async () => {
        const result = await resultOf(name);
        if (expected instanceof RegExp) expect(result).to.match(expected);
        else expect(result).to.deep.equal(expected);
      });

  it('runs as it stands', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, COOKBOOK, 'newest-twenty.ts')],
      { encoding: 'utf8' },
    );
    expect(status).to.equal(0);
    expect(stdout).to.include('order-25');
  });
});
