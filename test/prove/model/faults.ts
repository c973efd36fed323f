// The model notices faults: the built sandbox is broken in one place, in memory, by a process of its own, and the lists of
// commands are played until a difference shows.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Fault {
  readonly says: string;
  /** The commands that can show it; without them the ladders of deliveries do. */
  readonly names?: RegExp;
  /** A file of the built package, and which text in it is replaced by which. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const FAULTS: readonly Fault[] = [
  {
    says: 'a returned deposit makes no debt',
    names: /^(create deposit|return a spent deposit|advance$)/,
    file: 'sandbox/resources/deposits.js',
    from: 'amount, isPending ? void 0 : true)',
    to: 'amount, void 0)',
  },
  {
    says: 'the fee of a payout stays held',
    names: /^(create payout|initiate payout|move payout$|advance$)/,
    file: 'sandbox/resources/payouts.js',
    from: ', ...transfersOf(held, "fees", fee)]',
    to: ']',
  },
  {
    says: 'a payment that fails keeps its fee',
    names: /^(somebody asks|quote lightning|execute|move payment|advance$)/,
    file: 'sandbox/resources/payments.js',
    from: 'money: terms.total }];',
    to: 'money: terms.amount }];',
  },
  {
    says: 'what an exchange buys is rounded up',
    names: /exchange/,
    file: 'sandbox/resources/currency-exchange-quotes.js',
    from: 'convertNow(world, net, buy, "down")',
    to: 'convertNow(world, net, buy, "up")',
  },
  {
    says: 'a reversed invoice takes nothing back',
    names: /^(create invoice|quote invoice|somebody pays$|reverse)/,
    file: 'sandbox/resources/invoice-store.js',
    from: 'reverseTransfers(settledBy)',
    to: '[]',
  },
  {
    says: 'the key of a deposit is forgotten',
    names: /^(create deposit|advance$)/,
    file: 'sandbox/resources/deposits.js',
    from: 'keys.set(idempotencyKey, deposit.id)',
    to: 'keys.size',
  },
  {
    says: 'a correlationId is taken twice',
    names: /^create invoice/,
    file: 'sandbox/resources/invoices.js',
    from: 'byCorrelationId.has(correlationId)',
    to: 'byCorrelationId.has("")',
  },
  {
    says: 'one request more than the limit passes',
    names: /^(create|quote) invoice/,
    file: 'sandbox/service/incoming.js',
    from: 'meter.sent.length - meter.start >= limit',
    to: 'meter.sent.length - meter.start > limit',
  },
  {
    says: 'the receiver of an invoice hears nothing of it',
    names: /^create invoice/,
    file: 'sandbox/resources/invoice-store.js',
    from: 'new Set([issuer, receiver])',
    to: 'new Set([issuer])',
  },
  {
    says: 'a BOLT11 text of a request is paid twice',
    names: /^(create receive|somebody pays a request|quote lightning|execute)/,
    file: 'sandbox/resources/receivers.js',
    from: 'standing === "paid"',
    to: 'standing === ""',
  },
  {
    says: 'the waits between deliveries double',
    file: 'sandbox/webhooks/deliveries.js',
    from: 'job.gap *= 3',
    to: 'job.gap *= 2',
  },
];

const script = fileURLToPath(new URL('broken.ts', import.meta.url));

interface Played {
  readonly code: number | null;
  readonly text: string;
}

/** Plays the model against one broken sandbox; resolves to what it said. */
const play = (index: number, runs: string, seed: string): Promise<Played> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [script, String(index), runs, seed]);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => (text += part.toString()));
    child.on('close', (code) => resolve({ code, text }));
  });

/** A difference ends a process with 1; a process that broke otherwise has proved nothing. */
const isNoticed = ({ code, text }: Played): boolean =>
  code === 1 && /^runs \d+, differs/m.test(text);

/** Resolves to true if each fault is noticed; `runs` lists at most for each. */
export async function playFaults(runs: string, seed: string): Promise<boolean> {
  let noticed = 0;
  for (const [index, { says }] of FAULTS.entries()) {
    const played = await play(index, runs, seed);
    if (isNoticed(played)) noticed++;
    const [, lists] = /^runs (\d+)/m.exec(played.text) ?? [];
    const verdict = isNoticed(played) ? `noticed after ${lists} lists` : 'NOT NOTICED';
    console.log(`${verdict.padEnd(26)} ${says}`);
    if (!isNoticed(played)) console.log(played.text);
  }
  console.log(`${noticed} of ${FAULTS.length} faults noticed`);
  return noticed === FAULTS.length;
}
