import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import { inPage } from '../state/page.ts';
import { withReports } from '../state/reports.ts';
import { type Line, news, openLive, settle } from './live-page.ts';

describe('a page with a relay', () => {
  it('opens one socket, with its token where no log sees it', async () => {
    const live = await openLive();
    const [line] = live.lines as [Line];
    expect(live.lines).to.have.length(1);
    expect(line.url).to.match(/^wss:\/\/[^?]+\/live$/);
    expect(line.protocols[0]).to.equal('paystate.v1');
    expect(line.url).not.to.include(line.protocols[1]);
    line.open();
    expect(line.heard).to.deep.equal(['{"resume":null}']);
    live.seen.stop();
  });

  it('is told of changes, and asks once a minute only where its room does not stand by its value', async () => {
    const live = await openLive();
    const line = await settle(live);
    live.requests.length = 0;
    await live.sandbox.advance(10 * 60_000);
    expect(live.requests.length).to.be.within(9, 11);
    await live.sandbox.advance(30 * 60_000);
    live.requests.length = 0;
    await live.sandbox.advance(10 * 60_000);
    expect(live.requests.length, 'also half an hour later').to.be.within(9, 11);
    await live.sandbox.payer.pay(live.invoice.invoiceId);
    line.say(news(live.invoice, 2, 'PAID'));
    await live.sandbox.advance(200);
    expect(live.seen.values.at(-1)!.value.state).to.equal('PAID');
    expect(live.seen.ended).to.equal('complete');
  });

  it('reads what it was only told of: an event is no value', () =>
    withReports(async () => {
      const live = await openLive();
      const line = await settle(live);
      line.say(news(live.invoice, 2, 'PAID'));
      await live.sandbox.advance(5_000);
      expect(live.seen.values.map(({ value }) => value.state)).to.deep.equal(['UNPAID']);
      for (const text of [
        '',
        '{',
        'null',
        '[]',
        '{"epoch":1}',
        '{"epoch":"e","seq":9,"value":7}',
        'pong:',
        'pong:x',
      ])
        line.say(text);
      await live.sandbox.advance(5_000);
      expect(live.seen.ended).to.equal(undefined);
      live.seen.stop();
    }));

  it('reports a message that cannot be read, and goes on with the next', () =>
    withReports(async (reports) => {
      const live = await openLive();
      const line = await settle(live);
      for (const text of ['{', 'null']) line.say(text);
      expect(reports.map((error) => (error as Error).name)).to.deep.equal([
        'SyntaxError',
        'TypeError',
      ]);
      await live.sandbox.payer.pay(live.invoice.invoiceId);
      line.say(news(live.invoice, 2, 'PAID'));
      await live.sandbox.advance(200);
      expect(live.seen.values.at(-1)!.value.state).to.equal('PAID');
    }));

  it('polls while the socket is away, comes back with what it has seen, and climbs up again', async () => {
    const live = await openLive();
    const line = await settle(live, 7);
    live.requests.length = 0;
    line.close();
    await live.sandbox.advance(20_000);
    expect(live.requests.length).to.be.greaterThan(5);
    expect(live.lines.length).to.be.greaterThan(1);
    const next = live.lines.at(-1)!;
    next.pong = 'e:7:';
    next.open();
    expect(next.heard).to.deep.equal(['{"resume":{"epoch":"e","seq":7}}']);
    await live.sandbox.advance(3_000);
    live.requests.length = 0;
    await live.sandbox.advance(5 * 60_000);
    expect(live.requests.length).to.be.below(7);
    live.seen.stop();
  });

  it('gives a socket up within two beats of 25 seconds after the last that it answered, and not after one', async () => {
    const live = await openLive();
    const line = await settle(live);
    const beats = (): number => line.heard.filter((text) => text === 'ping').length;
    while (beats() === 0) await live.sandbox.advance(100);
    line.answersBeats = false;
    await live.sandbox.advance(25_000);
    expect([beats(), line.isClosed]).to.deep.equal([2, false]);
    await live.sandbox.advance(25_000);
    expect(line.isClosed).to.equal(true);
    await live.sandbox.advance(1_000);
    expect(live.lines).to.have.length(2);
    live.seen.stop();
  });

  it('asks for what it has missed when a beat says that there is more', async () => {
    const live = await openLive();
    const line = await settle(live, 3);
    line.pong = 'e:5:';
    await live.sandbox.advance(30_000);
    expect(line.heard).to.include('{"resume":{"epoch":"e","seq":3}}');
    live.seen.stop();
  });

  it('gives its socket back when the page is put away, and goes on where it was when the page returns', () =>
    inPage(async (page) => {
      const live = await openLive();
      const line = await settle(live, 4);
      page.putAway();
      expect(line.isClosed).to.equal(true);
      await live.sandbox.advance(120_000);
      expect(live.lines).to.have.length(1);
      live.requests.length = 0;
      page.restore();
      await live.sandbox.advance(100);
      expect(live.requests).to.have.length(1);
      expect(live.lines).to.have.length(2);
      live.lines[1]!.open();
      expect(live.lines[1]!.heard).to.deep.equal(['{"resume":{"epoch":"e","seq":4}}']);
      live.seen.stop();
      await live.sandbox.advance(1);
      expect(page.listeners()).to.equal(0);
    }));

  it('looks and asks its socket as soon as the page is visible again, and gives a silent one up in seconds', () =>
    inPage(async (page) => {
      const live = await openLive();
      const line = await settle(live);
      page.hide();
      await live.sandbox.advance(20_000);
      line.answersBeats = false; // the network went while the page slept
      line.heard.length = live.requests.length = 0;
      for (let second = 0; second < 6; second++) {
        page.show();
        await live.sandbox.advance(1_000);
      }
      expect(line.heard).to.deep.equal(['ping']);
      expect(live.requests.length).to.be.within(1, 6);
      expect(line.isClosed).to.equal(true);
      await live.sandbox.advance(1_000);
      expect(live.lines).to.have.length(2);
      live.seen.stop();
    }));

  it('keeps a socket that answers when the page is visible again', () =>
    inPage(async (page) => {
      const live = await openLive();
      await settle(live);
      for (let minute = 0; minute < 10; minute++) {
        page.hide();
        await live.sandbox.advance(30_000);
        page.show();
        await live.sandbox.advance(30_000);
      }
      expect(live.lines).to.have.length(1);
      live.seen.stop();
    }));

  it('hands a new token in on the same socket, once', async () => {
    let token = 'first.of.all';
    const live = await openLive({ token: async () => token });
    const line = await settle(live);
    await live.sandbox.advance(120_000);
    token = 'second.of.all';
    await live.sandbox.advance(120_000);
    expect(line.heard.filter((text) => text !== 'ping')).to.deep.equal([
      '{"resume":null}',
      '{"token":"second.of.all"}',
    ]);
    expect(live.lines).to.have.length(1);
    live.seen.stop();
  });

  itLong('comes back more and more slowly to a relay that does not answer', async () => {
    const live = await openLive();
    for (let second = 0; second < 600; second++) {
      live.lines.at(-1)!.close();
      await live.sandbox.advance(1_000);
    }
    expect(live.lines.length).to.be.within(20, 90);
    live.seen.stop();
  });

  it('leaves nothing behind', async () => {
    const live = await openLive();
    const line = await settle(live);
    live.seen.stop();
    await live.sandbox.advance(1);
    expect(line.isClosed).to.equal(true);
    expect(live.timers()).to.equal(0);
    const again = await openLive();
    again.seen.stop();
    await again.sandbox.advance(1);
    expect([again.lines[0]!.isClosed, again.timers()]).to.deep.equal([true, 0]);
  });

  it('is one only with a token', async () => {
    const live = await openLive({ token: undefined, apiKey: 'KEY' });
    expect(live.lines).to.have.length(0);
    live.seen.stop();
  });
});
