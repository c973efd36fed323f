// Protects: a session with a network that fails can be played again from its recording: the same emissions at the same times.
import { expect } from 'chai';
import { type Client, createClient, watchInvoice } from 'paystate';
import { createSandbox, type FaultAction, type Sandbox } from 'paystate/sandbox';
import { createRecorder, type Recording, replay } from 'paystate/testing';
import { describe, itLong } from '#test';
import { DRAFT } from '../core/shop.ts';

const SESSIONS = 25;

const ACTIONS: readonly FaultAction[] = [
  'lost-before',
  'lost-after',
  'cut-body',
  { status: 500 },
  { status: 503, code: 'SERVICE_UNAVAILABLE' },
  { delay: 4_000 },
  { delay: 30_000 },
];

/** Watches an invoice for five minutes; what it heard, and when. */
async function play(client: Client, { run, clock, advance }: Sandbox): Promise<readonly string[]> {
  const heard: string[] = [];
  const draft = { ...DRAFT, correlationId: 'order-1' };
  const created = await run(
    client.invoices.create(draft).then(
      (invoice) => invoice,
      (thrown) => `${thrown}`,
    ),
  );
  heard.push(JSON.stringify(created));
  if (typeof created === 'string') return heard;
  const note = (what: unknown): void =>
    void heard.push(`${clock.monotonic()} ${JSON.stringify(what)}`);
  const stop = watchInvoice(client, created).subscribe({
    next: note,
    error: (error) => note({ error }),
    complete: () => note('complete'),
  });
  await advance(300_000);
  stop();
  return heard;
}

/** A sandbox in which the invoice is paid after a while, and requests fail at random. */
function spoiled(seed: number): Sandbox {
  const sandbox = createSandbox({ seed, signed: false });
  for (const [at, action] of ACTIONS.entries())
    if ((seed >> (at % 5)) % 2 === 1) sandbox.fault({ probability: 0.15, action });
  sandbox.clock.after(20_000 + seed * 1_000, () => {
    const [invoice] = sandbox.inspect().invoices ?? [];
    if (invoice) void sandbox.payer.pay((invoice as { invoiceId: string }).invoiceId);
  });
  return sandbox;
}

describe('a recorded session', () => {
  itLong(`is played again, emission by emission: ${SESSIONS} drawn ones`, async () => {
    let failures = 0;
    let settled = 0;
    for (let seed = 1; seed <= SESSIONS; seed++) {
      const sandbox = spoiled(seed);
      const recorder = createRecorder({ fetch: sandbox.fetch, clock: sandbox.clock });
      const options = { ...sandbox.clientOptions, fetch: recorder.fetch };
      const heard = await play(createClient(options), sandbox);
      const text = JSON.stringify(await sandbox.run(recorder.recording()));
      const recording = JSON.parse(text) as Recording;
      const again = createSandbox({ seed, signed: false });
      const fetch = replay(recording, { clock: again.clock });
      const client = createClient({ ...again.clientOptions, fetch });
      expect(await play(client, again), `seed ${seed}`).to.deep.equal(heard);
      expect(again.log).to.have.length(0);
      failures += recording.exchanges.filter(({ response }) => response?.end !== 'whole').length;
      settled += heard.some((one) => one.includes('"PAID"')) ? 1 : 0;
    }
    expect(failures).to.be.above(SESSIONS);
    expect(settled).to.be.above(SESSIONS / 2);
  });
});
