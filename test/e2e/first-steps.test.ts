// Protects: a first step from nothing works: what the chapter shows for other languages, and what the command prints.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { askOf, AT_ONCE, envOf, listOf, outcome, root, withCommand } from './command.ts';

const chapter = readFileSync(join(root, 'src/cli/README.md'), 'utf8');
const [, section = ''] = /^## Other languages\n([^]*?)^## /m.exec(chapter) ?? [];
const programs = [...section.matchAll(/^```(bash|python)\n([^]*?)^```$/gm)].flatMap(
  ([, language, code = '']) => (code.startsWith('export ') ? [] : [{ language, code }]),
);
const PROGRAMS = {
  bash: { file: 'bash', flag: '-c', needs: 'curl' },
  python: { file: 'python3', flag: '-c', needs: 'python3' },
};

describe('first steps', AT_ONCE, () => {
  for (const [language, { file, flag, needs }] of Object.entries(PROGRAMS))
    it(`of the chapter run: ${language}`, async ({ skip }) => {
      const code = programs.find((one) => one.language === language)!.code;
      if (spawnSync(needs, ['--version']).status !== 0) return skip(`${needs} is not installed`);
      await withCommand(async (command) => {
        const env = { PATH: process.env['PATH'], ...envOf(command) };
        const child = spawn(file, [flag, code], { env });
        let said = '';
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (text) => (said += text));
        const [status] = await once(child, 'close');
        expect([status, said]).to.satisfy(() => status === 0 && /PAID/.test(said), said);
      });
    });

  it('of who has another language: the sandbox describes itself at the address that it prints', async () => {
    await withCommand(async ({ url, key }) => {
      const { status, body, headers } = await askOf({ url, key })('GET', '/openapi.json');
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/json']);
      expect([body['openapi'], listOf(body['servers'])]).to.deep.equal(['3.1.0', [{ url }]]);
      expect(body['paths']).to.have.property('/v1/invoices');
    });
  });

  it('can be pasted: by npx, or by the name of the command where a shell finds it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'global-'));
    try {
      writeFileSync(join(folder, 'paystate'), '#!/bin/sh\n');
      chmodSync(join(folder, 'paystate'), 0o755);
      const PATH = process.env['PATH'] ?? '';
      const asks = async (path: string): Promise<string> =>
        (await outcome(['doctr'], { PATH: path })).complaints;
      const problem = 'paystate: there is no command "doctr" (did you mean doctor?); see ';
      expect(await asks(PATH)).to.equal(`${problem}npx paystate --help\n`);
      expect(await asks(`${folder}:${PATH}`)).to.equal(`${problem}paystate --help\n`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('that are mistyped are named, with what was meant', async () => {
    for (const [args, problem] of [
      [['sandbox', '--sead', '7'], 'there is no option --sead (did you mean --seed?)'],
      [['tail', '--jsn'], 'there is no option --jsn (did you mean --json?)'],
      [['pay', '--zebra'], 'there is no option --zebra'],
      [['sandbox', '-x'], 'there is no option -x'],
      [['sandbox', '--seed'], '--seed needs a value: --seed=S'],
      [['sandbox', '--seed', '--json'], '--seed needs a value: --seed=S'],
      [['doctor', '--json=yes'], '--json takes no value'],
      [['doctor', 'tea'], '"tea" is an unexpected argument'],
    ] as const) {
      const { code, complaints } = await outcome(args);
      expect([code, complaints]).to.deep.equal([
        2,
        `paystate: ${problem}; see npx paystate --help\n`,
      ]);
    }
  });
});
