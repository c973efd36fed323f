// Protects: who charges from a terminal shows a code that a camera reads, and hears when it was paid.
import { expect } from 'chai';
import jsQR from 'jsqr';
import { describe, it } from '#test';
import {
  askOf,
  AT_ONCE,
  type Command,
  CONTROL,
  envOf,
  type Json,
  outcome,
  outcomeOf,
  runs,
  withCommand,
} from './command.ts';

const BLOCKS: Readonly<Record<string, readonly [upper: number, lower: number]>> = {
  '█': [255, 255],
  '▀': [255, 0],
  '▄': [0, 255],
  ' ': [0, 0],
};
const SCALE = 4;

/** What a camera makes of lines of blocks: light where a block is. */
const textIn = (lines: readonly string[]): string | undefined => {
  const rows = lines.flatMap((line) =>
    [0, 1].map((half) => [...line].map((block) => BLOCKS[block]![half]!)),
  );
  const [width, height] = [rows[0]!.length * SCALE, rows.length * SCALE];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels.fill(
        rows[Math.floor(y / SCALE)]![Math.floor(x / SCALE)]!,
        (y * width + x) * 4,
        (y * width + x) * 4 + 3,
      );
  const read = jsQR(pixels, width, height);
  return read?.data;
};

/** Pays what the command shows, once it shows it. */
const paidBy = async (command: Command, args: readonly string[], code: RegExp) => {
  const child = runs(['charge', '12.50', 'EUR', ...args], envOf(command));
  let said = '';
  child.stdout!.on('data', (text) => {
    const before = code.exec(said);
    const [target] = code.exec((said += text)) ?? [];
    if (target && !before) void askOf(command)('POST', '/_sandbox/pay', { target }, CONTROL);
  });
  return outcomeOf(child);
};

describe('charge', AT_ONCE, () => {
  it('shows a code that is read as it was meant, and ends when it is paid', async () => {
    await withCommand(async (command) => {
      const { code, output, complaints } = await paidBy(
        command,
        ['--color'],
        /lntb[a-z0-9]{100,}(?=\n)/,
      );
      expect([code, complaints]).to.deep.equal([0, '']);
      const coloured = output.split('\n').filter((line) => /[█▀▄]/.test(line));
      expect(coloured.every((line) => line.startsWith('\u001b[97m\u001b[40m'))).to.equal(true);
      const shown = textIn(coloured.map((line) => line.replaceAll(/\u001b\[\d+m/g, '')));
      const [lnInvoice = 'none'] = /lntb[a-z0-9]{100,}/.exec(output) ?? [];
      expect(shown?.toLowerCase().replace('lightning:', '')).to.equal(lnInvoice);
      expect(output).to.match(/^12\.50 EUR = 0\.000\d{5} BTC, \d+ s left$/m);
      expect(output).to.match(/paid/);
    });
  });

  it('ends at once with Ctrl-C while it shows a code, and leaves the invoice open', async () => {
    await withCommand(async (command) => {
      const child = runs(['charge', '12.50', 'EUR'], envOf(command));
      let [said, stoppedAt] = ['', Infinity];
      child.stdout!.on('data', (text) => {
        said += text;
        if (stoppedAt < Infinity || !/ s left$/m.test(said)) return;
        stoppedAt = performance.now();
        child.kill('SIGINT');
      });
      expect((await outcomeOf(child)).code).to.equal(130);
      expect(performance.now() - stoppedAt).to.be.below(5_000);
      const [, invoiceId = ''] = /^invoice (\S+)$/m.exec(said) ?? [];
      const { body } = await askOf(command)('GET', `/v1/invoices/${invoiceId}`);
      expect(body).to.include({ state: 'UNPAID' });
    });
  });

  it('tells a program the same, one value a line, and shows the same invoice for the same name', async () => {
    await withCommand(async (command) => {
      const args = ['--json', '--name', 'tea-1'];
      const first = await paidBy(command, args, /lntb[a-z0-9]{100,}(?=")/);
      const again = await outcome(['charge', '12.50', 'EUR', ...args], envOf(command));
      const lines = [first, again].map(({ output }) =>
        output
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Json),
      );
      expect(lines.map((all) => all.at(-1)!['phase'])).to.deep.equal(['paid', 'paid']);
      const { amount, secondsLeft } = lines[0]!.find(({ lnInvoice }) => lnInvoice)!;
      expect(amount).to.have.property('currency', 'BTC');
      expect(secondsLeft).to.be.within(1, 30);
      const ids = new Set(lines.flat().map(({ invoiceId }) => invoiceId));
      expect([...ids].map((id) => typeof id)).to.deep.equal(['string']);
      expect((await outcome(['charge', '12,50', 'EUR'], envOf(command))).code).to.equal(2);
    });
  });
});
