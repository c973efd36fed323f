// A page's socket to its relay, where it neither opens nor speaks, and what the page does by itself then.
import { expect } from 'chai';
import { watchInvoice, watchRates } from 'paystate';
import { describe, it } from '#test';
import { type Live, openLive, settle } from '../relay/live-page.ts';
import { withReports } from './reports.ts';
import { record } from './shop.ts';

/** The room of the relay says this of the invoice now, and last confirmed it at that time. */
const told = ({ invoice, sandbox }: Live, seq: number, confirmedAt = sandbox.clock.now()) => {
  const now = sandbox.clock.now();
  return { epoch: 'e', seq, sentAt: now, asOf: now, confirmedAt, value: invoice };
};

describe('the socket of a page', () => {
  it('that neither opens nor fails is given up after 22.5 s, and another is tried', async () => {
    const live = await openLive();
    await live.sandbox.advance(22_000);
    expect(live.lines).to.have.length(1);
    await live.sandbox.advance(3_000);
    expect(live.lines[0]!.isClosed).to.equal(true);
    expect(live.lines).to.have.length(2);
    expect(live.seen.values.at(-1)!.freshness, 'the page polls meanwhile').to.equal('live');
    live.seen.stop();
  });

  it('that says nothing any more is lost after 50 s, and another is tried', async () => {
    const live = await openLive();
    const line = live.lines[0]!;
    line.open();
    line.say(told(live, 1));
    line.answersBeats = false;
    await live.sandbox.advance(48_000);
    expect(line.isClosed).to.equal(false);
    await live.sandbox.advance(3_000);
    expect(line.isClosed).to.equal(true);
    await live.sandbox.advance(2_000);
    expect(live.lines).to.have.length(2);
    live.seen.stop();
  });

  it('that confirms nothing has the page read each minute, however late the watch began', async () => {
    const live = await openLive();
    live.seen.stop();
    await live.sandbox.advance(40 * 60_000);
    const seen = record(watchInvoice(live.client, live.invoice));
    await live.sandbox.advance(10);
    const line = live.lines.at(-1)!;
    line.pong = 'e:1:0';
    line.open();
    line.say({ ...told(live, 1, 0), value: { ...live.invoice, state: 'PENDING' } });
    const { asOf, value } = seen.values.at(-1)!;
    expect(value.state).to.equal('PENDING');
    expect(live.sandbox.clock.now() - asOf, 'as of the read of the relay').to.be.below(100);
    live.sandbox.move('invoice', live.invoice.invoiceId, 'PENDING');
    await live.sandbox.advance(1_000);
    live.requests.length = 0;
    await live.sandbox.advance(150_000);
    expect(live.requests).to.have.length(2);
    expect(new Set(seen.values.map(({ freshness }) => freshness))).to.deep.equal(new Set(['live']));
    seen.stop();
  });

  it('that is lost makes the page read at once, but not what it has just read, and status says why', async () => {
    const live = await openLive();
    const line = live.lines[0]!;
    line.open();
    line.say(told(live, 1));
    await live.sandbox.advance(500);
    expect(watchInvoice(live.client, live.invoice).status().reason).to.match(/^relay, /);
    live.requests.length = 0;
    const lostAt = live.sandbox.clock.now();
    line.close();
    await live.sandbox.advance(10);
    expect(watchInvoice(live.client, live.invoice).status().trigger).to.equal('relay');
    await live.sandbox.advance(5_000);
    expect(live.requests[0]!.sentAt - lostAt).to.be.within(1_000, 2_100);
    live.seen.stop();
  });

  it('that is lost is opened again at a random time, so that pages do not come back together', async () => {
    const delays: number[] = [];
    for (const drawn of [0.1, 0.9]) {
      const live = await openLive({ random: () => drawn });
      const line = live.lines[0]!;
      line.open();
      line.say(told(live, 1));
      await live.sandbox.advance(500);
      line.close();
      const lostAt = live.sandbox.clock.now();
      while (live.lines.length < 2) await live.sandbox.advance(10);
      delays.push(live.sandbox.clock.now() - lostAt);
      live.seen.stop();
    }
    expect(delays[0]).to.be.within(90, 110);
    expect(delays[1]).to.be.within(900, 920);
  });

  it('that closes before it was open has lost nothing: the page reads as before', async () => {
    const live = await openLive();
    await live.sandbox.advance(500);
    live.lines[0]!.close();
    await live.sandbox.advance(10);
    expect(watchInvoice(live.client, live.invoice).status().trigger).to.equal('regular read');
    live.seen.stop();
  });

  it('that speaks of an invoice that was left breaks nothing', () =>
    withReports(async (reports) => {
      const live = await openLive();
      const line = await settle(live);
      const rates = record(watchRates(live.client));
      live.seen.stop();
      await live.sandbox.advance(10);
      line.say(told(live, 2));
      await live.sandbox.advance(1_000);
      expect(reports).to.deep.equal([]);
      expect(line.isClosed, 'others are watched').to.equal(false);
      rates.stop();
    }));

  it('that tells of a state that the relay does not believe yet shows that too', async () => {
    const live = await openLive();
    const line = live.lines[0]!;
    line.open();
    const value = { ...live.invoice, state: 'PENDING' };
    line.say({ ...told(live, 1), value, unconfirmed: 'UNPAID' });
    expect(live.seen.values.at(-1)).to.nested.include({
      'value.state': 'PENDING',
      unconfirmed: 'UNPAID',
      freshness: 'live',
    });
    line.say({ ...told(live, 2), value });
    expect(live.seen.values.at(-1)!).not.to.have.property('unconfirmed', 'UNPAID');
    live.seen.stop();
  });

  it('that says an older message again goes on from the newest', async () => {
    const live = await openLive();
    const line = live.lines[0]!;
    line.open();
    for (const seq of [1, 2, 1]) line.say(told(live, seq));
    line.pong = `e:2:${live.sandbox.clock.now()}`;
    const resumes = () => line.heard.filter((text) => text.includes('resume')).length;
    const before = resumes();
    await live.sandbox.advance(50_000);
    expect(resumes()).to.equal(before);
    live.seen.stop();
  });

  it('that is left before it was asked for leaves nothing behind', async () => {
    const live = await openLive();
    live.seen.stop();
    record(watchInvoice(live.client, live.invoice)).stop();
    await live.sandbox.advance(30_000);
    expect(live.lines.map(({ isClosed }) => isClosed)).to.deep.equal([true]);
    expect(live.timers()).to.equal(0);
  });

  it('that comes back and says nothing confirms nothing: the page reads soon', async () => {
    const live = await openLive();
    const line = live.lines[0]!;
    line.open();
    line.say(told(live, 1));
    for (let n = 0; n < 5; n++) {
      line.pong = `e:1:${live.sandbox.clock.now()}`;
      await live.sandbox.advance(22_500);
    }
    live.requests.length = 0;
    line.close();
    await live.sandbox.advance(3_000);
    const next = live.lines.at(-1)!;
    next.pong = 'e:1:0';
    next.open();
    await live.sandbox.advance(3_000);
    live.requests.length = 0;
    await live.sandbox.advance(62_000);
    expect(live.requests.length).to.be.within(1, 2);
    live.seen.stop();
  });

  it('that says an older confirmation again takes nothing back', async () => {
    const live = await openLive();
    const line = live.lines[0]!;
    line.open();
    line.say(told(live, 1));
    line.pong = `e:1:${live.sandbox.clock.now()}`;
    await live.sandbox.advance(22_500);
    line.pong = `e:1:${live.sandbox.clock.now() + 22_000}`;
    await live.sandbox.advance(22_500);
    line.pong = `e:1:${live.sandbox.clock.now() - 80_000}`;
    live.requests.length = 0;
    await live.sandbox.advance(15_000);
    expect(live.requests).to.have.length(0);
    live.seen.stop();
  });
});
