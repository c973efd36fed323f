// Protects: what the relay has read is shown as it is pushed; pages read themselves only when something is missing.
import { expect } from 'chai';
import { createClient, type Invoice, type RequestView, watchInvoice } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { withReports } from '../state/reports.ts';
import { type Record, record } from '../state/shop.ts';
import { Line, type Live, openLive } from './live-page.ts';

const MINUTE = 60_000;

/** The room of a test: numbers what it says, and says when. */
class Room {
  seq = 0;
  readonly lines: readonly Line[];
  readonly #invoice: Invoice;
  readonly #now: () => number;

  constructor(lines: readonly Line[], invoice: Invoice, now: () => number) {
    this.lines = lines;
    this.#invoice = invoice;
    this.#now = now;
  }

  /** A message of now; the account has read its value at `asOf`. */
  message(state: string, asOf = this.#now(), extra: object = {}): object {
    const value = { ...this.#invoice, state };
    const now = this.#now();
    return { epoch: 'e', seq: this.seq, sentAt: now, asOf, confirmedAt: now, value, ...extra };
  }

  /** Says to all pages what was read, under the next number. */
  push(state: string, asOf?: number, extra?: object): void {
    this.seq++;
    this.#setPong();
    for (const line of this.lines) line.say(this.message(state, asOf, extra));
  }

  /** The account object stands by the newest value. */
  confirm(): void {
    this.#setPong();
  }

  #setPong(): void {
    for (const line of this.lines) line.pong = `e:${this.seq}:${this.#now()}`;
  }
}

/** Time goes on, and the room confirms once a minute. */
async function pass(sandbox: Sandbox, room: Room, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= MINUTE) {
    room.confirm();
    await sandbox.advance(Math.min(left, MINUTE));
  }
}

interface Told extends Live {
  readonly room: Room;
  readonly line: Line;
}

/** A page with an open socket that was told the invoice. */
async function openTold(skew = 0): Promise<Told> {
  const live = await openLive();
  const [line] = live.lines as [Line];
  const room = new Room(live.lines, live.invoice, () => live.sandbox.clock.now() + skew);
  line.open();
  room.push('UNPAID', undefined, { snapshot: true });
  await live.sandbox.advance(3_000);
  live.requests.length = 0;
  return { ...live, room, line };
}

const states = ({ seen }: Live) => seen.values.map(({ value }) => value.state);
const last = ({ seen }: Live) => seen.values.at(-1)!;

describe('pages of one invoice whose sockets hold', () => {
  for (const count of [1, 10, 100])
    itLong(`read nothing themselves over a change: ${count}`, async () => {
      const sandbox = createSandbox({ signed: false });
      const { apiKey, ...options } = sandbox.clientOptions;
      const lines: Line[] = [];
      const requests: RequestView[] = [];
      const { invoiceId, ...rest } = await sandbox.run(
        createClient(sandbox.clientOptions).invoices.create({
          amount: { amount: '12.50', currency: 'EUR' },
        }),
      );
      const logs = Array.from({ length: count }, (): Record<{ readonly value: Invoice }> => {
        const client = createClient({
          ...options,
          token: apiKey!,
          fetch: (input, init) =>
            options.fetch!(input, {
              ...init,
              headers: { ...init!.headers, authorization: `Bearer ${apiKey}` },
            }),
          WebSocket: class extends Line {
            constructor(url: string, protocols: string[]) {
              super(url, protocols);
              lines.push(this);
            }
          },
          onRequest: (view) => void requests.push(view),
        });
        return record(watchInvoice(client, invoiceId));
      });
      await sandbox.advance(1_000);
      const room = new Room(lines, { invoiceId, ...rest }, () => sandbox.clock.now());
      for (const line of lines) line.open();
      room.push('UNPAID');
      await sandbox.advance(3_000);
      requests.length = 0;
      await pass(sandbox, room, 40 * MINUTE);
      room.push('PENDING');
      await pass(sandbox, room, MINUTE);
      room.push('PAID');
      await sandbox.advance(1);
      expect(requests).to.deep.equal([]);
      for (const log of logs) {
        expect(log.values.map(({ value }) => value.state)).to.deep.equal([
          'UNPAID',
          'PENDING',
          'PAID',
        ]);
        expect(log.ended).to.equal('complete');
      }
    });
});

describe('what a relay pushes', () => {
  it('is live, as of the time at which the relay read it by the clock of this page, whatever that says', async () => {
    for (const skew of [0, 86_400_000, -86_400_000]) {
      const told = await openTold(skew);
      const now = told.sandbox.clock.now();
      told.room.push('PENDING', now + skew - 700);
      expect(last(told)).to.deep.include({ freshness: 'live' });
      expect(last(told).value.state).to.equal('PENDING');
      expect((last(told) as { readonly asOf?: number }).asOf).to.be.within(now - 800, now - 700);
      expect(told.requests).to.deep.equal([]);
      told.seen.stop();
    }
  });

  it('never replaces what was read later', async () => {
    const told = await openTold();
    const { sandbox, room } = told;
    room.push('PENDING');
    const before = { ...told.invoice, state: 'PENDING', description: 'an older text' };
    await sandbox.advance(1_000);
    room.push('PENDING', sandbox.clock.now() - 20_000, { value: before });
    expect(last(told).value.description).to.equal(undefined);
    told.seen.stop();
  });

  it('is not believed at once where it takes a state back, and not for being said twice in a moment', async () => {
    const told = await openTold();
    const { sandbox, room, invoice } = told;
    room.push('PENDING');
    await sandbox.advance(2_000);
    room.push('UNPAID');
    room.push('UNPAID');
    expect(last(told).value.state).to.equal('PENDING');
    expect((last(told) as { readonly unconfirmed?: string }).unconfirmed).to.equal('UNPAID');
    await sandbox.advance(40_000); // no replica is as far behind as that, and a read says so too
    expect(states(told).at(-1)).to.equal('UNPAID');
    expect(told.requests.length).to.be.within(1, 3);
    expect(invoice.state).to.equal('UNPAID');
    told.seen.stop();
  });

  it('makes nothing fresh where it was long on its way', async () => {
    const told = await openTold();
    const { sandbox, room, seen, line } = told;
    const early = room.message('UNPAID', undefined, { seq: 2 });
    await sandbox.advance(1_000);
    line.close(); // reads from now on fail: the page is alone
    sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    await sandbox.advance(45_000);
    expect(last(told).freshness).to.equal('stale');
    const next = told.lines.at(-1)!;
    next.open();
    next.say(room.message('UNPAID', sandbox.clock.now() - 45_000, { seq: 2 }));
    next.say(early);
    expect(last(told).freshness).to.equal('stale');
    seen.stop();
  });

  it('is read instead where it is no invoice that can be read, and reported', () =>
    withReports(async (reports) => {
      const told = await openTold();
      const { sandbox, room, invoice } = told;
      await sandbox.payer.pay(invoice.invoiceId);
      room.push('PAID', undefined, { value: { invoiceId: invoice.invoiceId, state: 'PAID' } });
      await sandbox.advance(200);
      expect(reports).to.have.length(1);
      expect(told.requests).to.have.length(1);
      expect(last(told).value).to.deep.include({ state: 'PAID', amount: invoice.amount });
    }));

  it('is about its own invoice only', async () => {
    const told = await openTold();
    const { room, invoice } = told;
    room.push('PAID', undefined, { value: { ...invoice, invoiceId: 'another', state: 'PAID' } });
    expect(states(told)).to.deep.equal(['UNPAID']);
    told.seen.stop();
  });

  it('is a hint where the relay does not say when it has read it', async () => {
    const told = await openTold();
    const { sandbox, room } = told;
    room.push('PAID', undefined, { sentAt: undefined });
    await sandbox.advance(200);
    expect(states(told)).to.deep.equal(['UNPAID']);
    expect(told.requests).to.have.length(1);
    told.seen.stop();
  });
});

describe('a page reads itself', () => {
  it('when a message is missing, once', async () => {
    const told = await openTold();
    const { sandbox, room, invoice } = told;
    await sandbox.payer.pay(invoice.invoiceId);
    room.seq++; // said, and never heard
    room.push('PENDING');
    await sandbox.advance(200);
    expect(told.requests).to.have.length(1);
    expect(last(told).value.state).to.equal('PAID');
  });

  it('when a beat says again that a message is missing, which was asked for and did not come', async () => {
    const told = await openTold();
    const { sandbox, room, line } = told;
    room.seq++;
    room.confirm();
    await sandbox.advance(26_000);
    expect(line.heard.filter((text) => text.includes('resume'))).to.have.length(2);
    expect(told.requests).to.have.length(0);
    await sandbox.advance(26_000);
    expect(told.requests).to.have.length(1);
    told.seen.stop();
  });

  it('after a reconnect that cannot go on where it was, once; and not after one that can', async () => {
    for (const [isLost, reads] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const told = await openTold();
      const { sandbox, room, line } = told;
      line.close();
      await sandbox.advance(20_000);
      const next = told.lines.at(-1)!;
      next.open();
      told.requests.length = 0;
      next.say(room.message('UNPAID', undefined, isLost ? { epoch: 'f', snapshot: true } : {}));
      room.confirm();
      if (isLost) next.pong = `f:1:${sandbox.clock.now()}`;
      await sandbox.advance(10_000);
      expect(told.requests.length, `lost: ${isLost}`).to.equal(reads);
      told.seen.stop();
    }
  });

  it('when the room does not stand by its value any more: after two minutes, then once a minute', async () => {
    const told = await openTold();
    const { sandbox, room } = told;
    await pass(sandbox, room, 5 * MINUTE);
    expect(told.requests).to.deep.equal([]);
    await sandbox.advance(2 * MINUTE);
    expect(told.requests.length).to.be.within(1, 2);
    await sandbox.advance(5 * MINUTE);
    expect(told.requests.length).to.be.within(5, 8);
    await pass(sandbox, room, 2 * MINUTE);
    told.requests.length = 0;
    await pass(sandbox, room, 5 * MINUTE);
    expect(told.requests).to.deep.equal([]);
    told.seen.stop();
  });

  it('no second time where its first message comes twice: as one to all, and as an answer', async () => {
    const told = await openTold();
    const { sandbox, room, line } = told;
    line.say(room.message('UNPAID', undefined, { snapshot: true }));
    await sandbox.advance(1_000);
    expect(told.requests).to.deep.equal([]);
    told.seen.stop();
  });

  it('when there is no socket', async () => {
    const told = await openTold();
    told.line.close();
    await told.sandbox.advance(1_000);
    expect(told.requests).to.have.length(1);
    told.seen.stop();
  });
});
