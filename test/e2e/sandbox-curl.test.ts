// A second client that shares nothing with this project: bash and curl walk the stories against the command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { AT_ONCE, root, withCommand } from './command.ts';

const folder = join(root, 'test/e2e/curl');
const PARTS = ['ask.sh', 'bank.sh', 'others.sh'];
const STORIES = globSync('*.sh', { cwd: folder })
  .filter((file) => !PARTS.includes(file))
  .sort();

/** Stories of several accounts need those of the file. */
const optionsFor = (story: string): readonly string[] =>
  readFileSync(join(folder, story), 'utf8').includes('/others.sh')
    ? ['--accounts', join(folder, 'accounts.json')]
    : [];

const run = async (
  story: string,
  url: string,
  key: string,
): Promise<readonly [unknown, string]> => {
  const child = spawn('bash', [join(folder, story)], {
    env: { PATH: process.env['PATH'], BASE: url, KEY: key },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (more) => (text += more));
  const [code] = await once(child, 'close');
  return [code, text];
};

describe('curl, against the sandbox command', AT_ONCE, () => {
  it('has all the stories', () => {
    expect(STORIES.map((story) => basename(story, '.sh'))).to.deep.equal([
      'cancel',
      'deposit',
      'exchange',
      'handle',
      'p2p',
      'pay',
      'payout',
      'receive',
      'travel-rule',
      'webhook',
    ]);
    for (const file of [...PARTS, ...STORIES])
      expect(readFileSync(join(folder, file), 'utf8'), file).not.to.match(
        /require\("paystate|import.*paystate|\/src\/|\/dist\//,
      );
  });

  for (const story of STORIES)
    it(`walks ${basename(story, '.sh')}`, async () => {
      await withCommand(
        async ({ url, key }) => {
          const [code, text] = await run(story, url, key);
          expect([code, text]).to.satisfy(
            ([status, said]: [unknown, string]) =>
              status === 0 && /^ok, \d\d+ checks\n$/.test(said),
            text,
          );
        },
        ...optionsFor(story),
      );
    });
});
