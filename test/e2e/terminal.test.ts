// Protects: in a terminal charge, pay, torture, mcp and sandbox say by colour what matters, and say the same without it.
import { type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeHandler } from 'paystate/host';
import { after, describe, it } from '#test';
import { type Flaw, receiverWith, SECRET } from '../unit/testing/receivers.ts';
import {
  askOf,
  AT_ONCE,
  type Command,
  CONTROL,
  envOf,
  hasTerminals,
  inTerminal,
  type Outcome,
  outcomeOf,
  withCommand,
} from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-terminal-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const COLOURS = /\u001b\[\d+m/g;
const PLAIN = ['--no-color'];
const CTRL_C = '\u0003';

/** Runs `act` with what the command has said so far, once that holds `said`. */
const onceSaid = (
  child: ChildProcess,
  said: RegExp,
  act: (found: string) => unknown,
): Promise<Outcome> => {
  let text = '';
  let isDone = false;
  child.stdout!.on('data', (more) => {
    const [found] = said.exec((text += more)) ?? [];
    if (found === undefined || isDone) return;
    isDone = true;
    void act(found);
  });
  return outcomeOf(child);
};

const newInvoice = async (command: Command): Promise<string> => {
  const { body } = await askOf(command)('POST', '/_sandbox/bolt11', { sat: '2100' }, CONTROL);
  return String(body['lnInvoice']);
};

const withReceiver = async (
  flaw: Flaw | undefined,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const server = createServer(nodeHandler(receiverWith(flaw, 'real').handle));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await use(`http://127.0.0.1:${port}/hooks`).finally(() => server.close());
};

describe('in a terminal', {
  ...AT_ONCE,
  ...(!hasTerminals && { skip: 'no program makes a terminal' }),
}, () => {
  it('charge shows its code and the end in colour, and both without', async () => {
    await withCommand(async (command) => {
      const charge = async (options: readonly string[]): Promise<Outcome> => {
        const child = inTerminal(['charge', '12.50', 'EUR', ...options], envOf(command));
        return onceSaid(child, /lntb[a-z0-9]{100,}(?=\s)/, (target) =>
          askOf(command)('POST', '/_sandbox/pay', { target }, CONTROL),
        );
      };
      const shown = await charge([]);
      expect(shown.code).to.equal(0);
      expect(shown.output).to.include('\u001b[97m\u001b[40m').and.include('\u001b[32mpaid');
      const plain = await charge(PLAIN);
      expect(plain.code).to.equal(0);
      expect(plain.output)
        .to.match(/[█▀▄]{20}/)
        .and.match(/(?:^|\u001b\[K)paid\s*$/m) // what was left of the code is erased first
        .and.not.match(COLOURS);
    });
  });

  it('pay asks and says how it ended, without colour where that is asked for', async () => {
    await withCommand(async (command) => {
      const journal = join(folder, 'journal');
      const most = ['--max-fee', '1.00', '--max-total', '5.00'];
      const limits = ['--currency', 'EUR', ...most, '--journal', journal];
      const args = ['pay', await newInvoice(command), ...limits, ...PLAIN];
      const child = inTerminal(args, envOf(command));
      const { code, output } = await onceSaid(child, /\[y\/N\]/, () => child.stdin!.write('y\n'));
      expect([code, /^paid/m.test(output)], output).to.deep.equal([0, true]);
      expect(output).not.to.match(COLOURS);
    });
  });

  it('torture marks what it found, and names it without colour too', async () => {
    const env = { PAYSTATE_WEBHOOK_SECRET: SECRET };
    for (const [flaw, code, said] of [
      [undefined, 0, '\u001b[32mno mistake found'],
      ['check not awaited', 1, '\u001b[31mmistake'],
    ] as const)
      await withReceiver(flaw, async (url) => {
        const shown = await outcomeOf(inTerminal(['torture', url], env));
        expect([shown.code, shown.output.includes(said)], shown.output).to.deep.equal([code, true]);
        const plain = await outcomeOf(inTerminal(['torture', url, ...PLAIN], env));
        expect(plain.output).to.equal(shown.output.replaceAll(COLOURS, ''));
      });
  });

  it('mcp speaks its protocol and nothing else', async () => {
    await withCommand(async (command) => {
      const child = inTerminal(['mcp'], envOf(command));
      child.stdin!.write('{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}\n');
      const { output } = await onceSaid(child, /"id":7,"result".*[\r\n]/, () =>
        child.stdin!.write(CTRL_C),
      );
      const lines = output.split(/\r?\n/).filter((line) => line.startsWith('{'));
      const [answer] = lines.map((line) => JSON.parse(line)).filter(({ result }) => result);
      expect([answer.id, answer.result.tools.length > 20]).to.deep.equal([7, true]);
      expect(output).not.to.match(COLOURS);
    });
  });

  it('sandbox prints its address, also without colour, and ends with Ctrl-C', async () => {
    const child = inTerminal(['sandbox', ...PLAIN], {});
    const { code, output } = await onceSaid(child, /paystate tail/, () =>
      child.stdin!.write(CTRL_C),
    );
    expect([code, /^paystate sandbox: http:\/\/127\.0\.0\.1:\d+\s/m.test(output)]).to.deep.equal([
      0,
      true,
    ]);
    expect(output).not.to.match(COLOURS);
  });
});
