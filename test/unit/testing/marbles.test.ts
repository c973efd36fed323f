// Node only: test tools compute the same in every engine.
// Protects: a diagram says what a watch or an Observable emitted and when, in virtual time; a wrong one says where.
import { expect } from 'chai';
import { createClient, type Invoice, type Snapshot, watchInvoice } from 'paystate';
import { schedulerOf, toObservable, values } from 'paystate/rx';
import { createSandbox } from 'paystate/sandbox';
import { createMarbles } from 'paystate/testing';
import { concat, map, NEVER, of, Subject, switchMap, take, throwError, timer } from 'rxjs';
import { describe, it } from '#test';
import { openShop, refusal } from '../state/shop.ts';

const FRAME = 1_000;

const letterOf = ({ value }: Snapshot<Invoice>) => value?.state[0] ?? '.';

/** A sandbox, and what emits letters in it when the test says so. */
function openStage(frame = FRAME) {
  const sandbox = createSandbox();
  const subject = new Subject<string>();
  const marbles = createMarbles(sandbox, { frame });
  return { sandbox, subject, marbles, seen: marbles.record(subject, (letter) => letter) };
}

/** The error that a wrong diagram leads to. */
function failureOf(act: () => void): Error & { expected?: unknown; actual?: unknown } {
  try {
    act();
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error('nothing was thrown');
}

describe('createMarbles', () => {
  it('writes what a watch emits while a diagram is played', async () => {
    const { sandbox, client, invoice: create } = openShop();
    const invoice = await create();
    const marbles = createMarbles(sandbox, { frame: FRAME });
    const seen = marbles.record(watchInvoice(client, invoice), letterOf);
    await marbles.play('-----p---', { p: () => sandbox.payer.pay(invoice.invoiceId) });
    expect(seen.diagram).to.match(/^\(\.U\)-{4,6}\(P\|\)$/);
    seen.expect(seen.diagram);
  });

  it('writes the error that ends a watch', async () => {
    const shop = openShop({}, (url, ask) =>
      url.includes('/v1/invoices/') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask(),
    );
    const marbles = createMarbles(shop.sandbox, { frame: 5_000 });
    const seen = marbles.record(watchInvoice(shop.client, 'a'), letterOf);
    await shop.sandbox.advance(10_000);
    expect(seen.diagram).to.match(/#\)?$/);
    expect(failureOf(() => seen.expect('.|')).message).to.include(
      'the source ended with RefusedError',
    );
  });

  it('counts frames by the clock of the sandbox, as schedulerOf(client) does', async () => {
    const sandbox = createSandbox();
    const client = createClient(sandbox.clientOptions);
    const marbles = createMarbles(sandbox, { frame: 10 });
    const ticks = timer(20, 10, schedulerOf(client)).pipe(take(3));
    const seen = marbles.record(ticks, (n) => `${n}`);
    await marbles.play('-----', {});
    seen.expect('--01(2|)');
  });

  it('records watches, Observables of them and operators alike', async () => {
    const { sandbox, client, invoice: create } = openShop();
    const invoice = await create();
    const marbles = createMarbles(sandbox, { frame: FRAME });
    const watch = watchInvoice(client, invoice);
    const all = marbles.record(watch, letterOf);
    const same = marbles.record(toObservable(watch), letterOf);
    const states = marbles.record(watch, ({ value }) => (value ? value.state[0]! : '.'));
    const known = marbles.record(
      toObservable(watch).pipe(
        values(),
        map(({ state }) => state),
      ),
      (state) => state[0]!,
    );
    await marbles.play('---p---', { p: () => sandbox.payer.pay(invoice.invoiceId) });
    same.expect(all.diagram);
    states.expect(all.diagram);
    known.expect(all.diagram.replace('(.U)', 'U'));
  });

  it('puts what falls into one frame in brackets, which are one frame', async () => {
    const { sandbox, subject, seen } = openStage();
    subject.next('a');
    subject.next('b');
    await sandbox.advance(999);
    subject.next('c');
    await sandbox.advance(1);
    subject.next('d');
    await sandbox.advance(2_500);
    subject.next('e');
    subject.complete();
    expect(seen.diagram).to.equal('(abc)d-(e|)');
    seen.expect(' (abc) d - (e|) --- ');
  });

  it('writes long pauses as times, and reads them in either form', async () => {
    const { sandbox, subject, seen } = openStage();
    await sandbox.advance(30_000);
    subject.next('a');
    await sandbox.advance(121_000);
    subject.next('b');
    await sandbox.advance(5_500);
    subject.next('c');
    expect(seen.diagram).to.equal('30s a 2m b----c');
    seen.expect(`${'-'.repeat(30)}a 120s b 4000ms c`);
    seen.expect('0.5m a 2m b----c 1m');
  });

  it('starts each recording at its own subscription', async () => {
    const { sandbox, subject, marbles, seen } = openStage();
    await sandbox.advance(3_000);
    const late = marbles.record(subject, (letter) => letter);
    subject.next('a');
    seen.expect('---a');
    late.expect('a');
  });

  it('stops', async () => {
    const { subject, seen } = openStage();
    subject.next('a');
    seen.stop();
    subject.next('b');
    seen.expect('a');
    expect(subject.observed).to.equal(false);
  });

  it('says where a diagram differs, for a reader and for the report of a runner', async () => {
    const { sandbox, subject, seen } = openStage();
    subject.next('l');
    await sandbox.advance(3_000);
    subject.next('u');
    await sandbox.advance(6_000);
    subject.next('p');
    subject.complete();
    const failure = failureOf(() => seen.expect('l--u---(p|)'));
    expect(failure.name).to.equal('AssertionError');
    expect(failure.message).to.equal(
      [
        'the marbles differ in frame 7 (7000 ms): expected p|, recorded nothing',
        '  expected  l--u---(p|)',
        '  recorded  l--u-----(p|)',
        '                   ^',
      ].join('\n'),
    );
    expect([failure.expected, failure.actual]).to.deep.equal(['l--u---(p|)', 'l--u-----(p|)']);
    expect(failureOf(() => seen.expect('l--x-----(p|)')).message).to.include(
      'in frame 3 (3000 ms): expected x, recorded u',
    );
    expect(failureOf(() => seen.expect('l--u')).message).to.include(
      'in frame 9 (9000 ms): expected nothing, recorded p|',
    );
  });

  it('says with which error a source ended', () => {
    const { marbles } = openStage();
    const broken = concat(
      of('a'),
      throwError(() => new TypeError('no')),
    );
    const seen = marbles.record(broken, (letter) => letter);
    seen.expect('(a#)');
    expect(failureOf(() => seen.expect('(a|)')).message).to.include('ended with TypeError: no');
  });
});

describe('play', () => {
  it('acts at the beginning of each frame, and ends with the diagram', async () => {
    const { sandbox, marbles } = openStage(250);
    const start = sandbox.clock.now();
    const times: string[] = [];
    const note = (letter: string) => () =>
      void times.push(`${letter}${sandbox.clock.now() - start}`);
    await marbles.play('a--(bc) 1s a---', { a: note('a'), b: note('b'), c: note('c') });
    expect(times).to.deep.equal(['a0', 'b750', 'c750', 'a2000']);
    expect(sandbox.clock.now() - start).to.equal(3_000);
  });

  it('does not stop time for an action, and waits for it at the end', async () => {
    const { sandbox, client } = openShop();
    const marbles = createMarbles(sandbox, { frame: 10 });
    const start = sandbox.clock.now();
    const done: number[] = [];
    const wait = async () => {
      await sandbox.clock.wait(500);
      done.push(sandbox.clock.now() - start);
    };
    await marbles.play('-a-b', { a: wait, b: () => client.balances.list() });
    expect(done).to.deep.equal([510]);
  });

  it('rejects with the error of an action, after time has moved on', async () => {
    const { sandbox, marbles } = openStage();
    const start = sandbox.clock.now();
    const failures = [
      () => {
        throw new Error('at once');
      },
      () => Promise.reject(new Error('as a promise')),
    ];
    for (const [n, a] of failures.entries()) {
      const failure = await marbles.play('a---', { a }).catch((thrown: unknown) => thrown);
      expect(failure).to.have.property('message', n === 0 ? 'at once' : 'as a promise');
    }
    expect(sandbox.clock.now() - start).to.equal(8_000);
  });

  it('can be what an Observable is made of', async () => {
    const { subject, marbles } = openStage();
    const seen = marbles.record(
      subject.pipe(switchMap((letter) => concat(of(letter.toUpperCase()), NEVER))),
      (letter) => letter,
    );
    await marbles.play('-a--a|', {
      a: () => subject.next('a'),
      '|': () => subject.complete(),
    });
    seen.expect('-A--A');
  });
});

describe('a mistaken', () => {
  const { marbles, seen } = openStage();

  it('frame is refused', () => {
    for (const frame of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, undefined, '10'])
      expect(() => createMarbles(createSandbox(), { frame: frame as number })).to.throw('frame');
  });

  it('diagram is refused', () => {
    for (const diagram of ['(a', 'a)', '((a))', '(a-b)', '(a))', '--(', ')', 'a 1ms b'])
      expect(() => seen.expect(diagram), diagram).to.throw('diagram');
  });

  it('diagram to play is refused before time moves', async () => {
    for (const diagram of ['--b', '---(a', '--toString', '|']) {
      const refused = await marbles.play(diagram, { a() {} }).catch((thrown: unknown) => thrown);
      expect(`${refused as Error}`, diagram).to.match(/InputError: (actions|diagram)/);
    }
    expect(seen.diagram).to.equal('');
  });

  it('is not read as a time where letters look like one', async () => {
    for (const letters of ['5s', '5ms', '7m', '12s']) {
      const { subject, marbles: stage, seen: recorded } = openStage();
      const say = [...letters].map((letter) => [letter, () => subject.next(letter)]);
      const diagram = `(${letters[0]})${letters.slice(1)}`;
      await stage.play(diagram, Object.fromEntries(say) as Record<string, () => void>);
      expect(recorded.diagram).to.equal(diagram);
      recorded.expect(recorded.diagram);
    }
  });

  it('letter is refused', async () => {
    for (const letter of ['', ' ', 'ab', '-', '(', ')', '|', '#'])
      expect(
        () =>
          marbles.record({ subscribe: onceOf('x'), forEach: async () => {} }, () => letter).diagram,
        `"${letter}"`,
      ).to.throw('letterOf');
    marbles.record({ subscribe: onceOf('x'), forEach: async () => {} }, () => '😀').expect('😀');
  });
});

/** The least that follows RxJS: its errors are the caller's. */
const onceOf =
  <T>(value: T) =>
  (to: { next(value: T): void }) => {
    to.next(value);
    return { unsubscribe() {} };
  };
