// Protects: the command pays once, whatever is repeated or killed, asks before it does, and says by its exit code what is known.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import {
  askOf,
  AT_ONCE,
  type Command,
  CONTROL,
  envOf,
  hasTerminals,
  inTerminal,
  type Json,
  outcome,
  outcomeOf,
  runs,
  withCommand,
} from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-pay-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let journals = 0;
const newJournal = (): string => join(folder, `journal-${++journals}`);

const bolt11 = async (command: Command, sat = '2100'): Promise<string> =>
  String((await askOf(command)('POST', '/_sandbox/bolt11', { sat }, CONTROL)).body['lnInvoice']);

const paymentsOf = async (command: Command): Promise<number> => {
  const { body } = await askOf(command)(
    'GET',
    `/v1/events?%24filter=${encodeURIComponent("eventType eq 'payment.created'")}`,
  );
  return (body['items'] as readonly Json[]).length;
};

const optionsFor = (journal: string): readonly string[] => [
  '--currency',
  'EUR',
  '--journal',
  journal,
  '--max-fee',
  '1.00',
  '--max-total',
  '5.00',
];

describe('pay', AT_ONCE, () => {
  it('pays once: the same command again says how it went', async () => {
    await withCommand(async (command) => {
      const to = await bolt11(command);
      const args = ['pay', to, ...optionsFor(newJournal()), '--yes'];
      for (const turn of [1, 2]) {
        const { code, output, complaints } = await outcome([...args, '--json'], envOf(command));
        expect([turn, code, complaints]).to.deep.equal([turn, 0, '']);
        expect(JSON.parse(output)).to.include({ phase: 'paid', proof: 'ok' });
      }
      const plain = await outcome(args, envOf(command));
      expect(plain.output).to.match(/^paid +\d+\.\d\d EUR$/m);
      expect(await paymentsOf(command)).to.equal(1);
    });
  });

  // One that is killed after it has sent waits out the time that its request may be under way: `npm run prove -- simulate` plays that.
  it('is killed once its intent is written down, and pays once when it is run again', async () => {
    await withCommand(async (command) => {
      const to = await bolt11(command);
      const args = ['pay', to, ...optionsFor(newJournal()), '--yes'];
      await askOf(command)(
        'POST',
        '/_sandbox/faults',
        { path: '/v1/payment-quotes/lightning', action: { delay: 2_000 }, nth: 1 },
        CONTROL,
      );
      const child = runs(args, envOf(command));
      child.stdout!.on('data', (text) => /new/.test(String(text)) && child.kill('SIGKILL'));
      expect((await outcomeOf(child)).code).to.equal(null);
      const again = await outcome(args, envOf(command));
      expect([again.code, await paymentsOf(command)]).to.deep.equal([0, 1]);
    });
  });

  it('does not pay what is refused, and says so', async () => {
    await withCommand(async (command) => {
      const to = await bolt11(command, '90000000');
      const dear = await outcome(
        ['pay', to, ...optionsFor(newJournal()), '--max-total', '1.00', '--yes', '--json'],
        envOf(command),
      );
      expect(dear.code).to.equal(4);
      expect(JSON.parse(dear.output)).to.include({ phase: 'refused' });
      expect(await paymentsOf(command)).to.equal(0);
    });
  });

  it('asks first; where nobody can be asked it does not pay', async () => {
    await withCommand(async (command) => {
      const to = await bolt11(command);
      const args = ['pay', to, ...optionsFor(newJournal())];
      const silent = await outcome(args, envOf(command));
      expect([silent.code, /pass --yes/.test(silent.complaints)]).to.deep.equal([2, true]);
      for (const wrong of [
        ['pay'],
        ['pay', to],
        ['pay', to, '--currency', 'EUR'],
        ['pay', to, '--currency', 'EUR', '--journal', newJournal(), '--yes'],
        ['pay', to, ...optionsFor(newJournal()), '--amount', 'BTC=0.00000001', '--yes'],
        ['pay', to, ...optionsFor(newJournal()), '--max-total', 'much', '--yes'],
        ['pay', 'ada@wallet.example', ...optionsFor(newJournal()), '--yes'],
      ])
        expect((await outcome(wrong, envOf(command))).code, wrong.join(' ')).to.equal(2);
      expect(await paymentsOf(command)).to.equal(0);
    });
  });

  it('takes an answer in a terminal', async ({ skip }) => {
    if (!hasTerminals) skip('no program makes a terminal');
    await withCommand(async (command) => {
      const args = ['pay', await bolt11(command), ...optionsFor(newJournal())];
      for (const [answer, code, payments] of [
        ['n', 2, 0],
        ['y', 0, 1],
      ] as const) {
        const child = inTerminal(args, envOf(command));
        child.stdout!.once('data', () => child.stdin!.write(`${answer}\n`));
        const ended = await outcomeOf(child);
        expect([answer, ended.code]).to.deep.equal([answer, code]);
        expect(ended.output).to.include('[y/N]');
        expect(ended.output.includes('\u001b[32mpaid')).to.equal(payments === 1);
        expect(await paymentsOf(command)).to.equal(payments);
      }
    });
  });
});
