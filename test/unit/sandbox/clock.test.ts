import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { failure } from './ask.ts';
import { systemClock } from '../core/system-clock.ts';

const START = 1_767_603_600_000;

describe('sandbox: virtual time', () => {
  it('begins at a fixed instant and stands still by itself', async () => {
    const { clock } = createSandbox();
    expect(clock.now()).to.equal(START);
    await systemClock.wait(3);
    expect(clock.now()).to.equal(START);
    expect(createSandbox({ startAt: 5_000 }).clock.now()).to.equal(5_000);
  });

  it('runs timers in order, each at its own time, equal ones in the order of setting', async () => {
    const { clock, advance } = createSandbox();
    const seen: string[] = [];
    const note = (name: string, ms: number): unknown =>
      clock.wait(ms).then(() => seen.push(`${name}@${clock.now() - START}`));
    for (const [index, ms] of [50, 10, 30, 10, 40, 20, 10].entries()) note(`${index}`, ms);
    await advance(45);
    expect(seen).to.deep.equal(['1@10', '3@10', '6@10', '5@20', '2@30', '4@40']);
    expect(clock.now() - START).to.equal(45);
    expect(clock.monotonic()).to.equal(45);
  });

  it('calls back once, at its time and not after it was taken back; an endless time is none', async () => {
    const { clock, advance } = createSandbox();
    const seen: string[] = [];
    const ring = (name: string) => (): void => void seen.push(`${name}@${clock.monotonic()}`);
    const cancels = [
      clock.after(10, ring('first')),
      clock.after(20, ring('cancelled')),
      clock.after(-5, ring('late')),
      clock.after(Infinity, ring('never')),
    ];
    cancels[1]!();
    await advance(1_000);
    expect(seen).to.deep.equal(['late@0', 'first@10']);
    for (const cancel of cancels) cancel();
    await advance(1_000);
    expect(seen).to.have.length(2);
  });

  it('real clocks call back too, and not after it was taken back', async () => {
    for (const clock of [systemClock, createSandbox({ clock: 'real' }).clock]) {
      const seen: string[] = [];
      clock.after(1, () => void seen.push('cancelled'))();
      await new Promise<void>((resolve) => void clock.after(2, resolve));
      await clock.wait(2);
      expect(seen).to.deep.equal([]);
    }
  });

  it('lets promises settle between two timers, also those that set new timers', async () => {
    const { clock, advance } = createSandbox();
    const seen: number[] = [];
    const tick = async (): Promise<void> => {
      for (let count = 0; count < 4; count++) {
        await clock.wait(10);
        for (let hop = 0; hop < 200; hop++) await undefined;
        seen.push(clock.monotonic());
      }
    };
    const done = tick();
    void clock.wait(21).then(() => seen.push(-21));
    await advance(40);
    await done;
    expect(seen).to.deep.equal([10, 20, -21, 30, 40]);
  });

  it('rounds waits up to whole milliseconds and takes nonsense as none', async () => {
    const { clock, advance } = createSandbox();
    const at: number[] = [];
    for (const ms of [0.2, -5, Number.NaN])
      void clock.wait(ms).then(() => at.push(clock.monotonic()));
    await advance(0);
    expect(at).to.deep.equal([0, 0]);
    await advance(1);
    expect(at).to.deep.equal([0, 0, 1]);
  });

  it('ends a wait at once when its signal aborts, and forgets its timer', async () => {
    const { clock, run } = createSandbox();
    const stop = new AbortController();
    const waits = Promise.all([clock.wait(1_000, stop.signal), clock.wait(Infinity, stop.signal)]);
    stop.abort();
    await waits;
    await clock.wait(1_000, stop.signal);
    expect(clock.monotonic()).to.equal(0);
    expect((await failure(run(new Promise(() => {})))).message).to.contain(
      'no timer of the sandbox is running',
    );
    expect(clock.monotonic()).to.equal(0);
  });

  it('refuses to go back', async () => {
    const { advance } = createSandbox();
    for (const duration of [-1, Number.NaN, Infinity])
      expect((await failure(advance(duration))).name).to.equal('InputError');
  });
});

describe('sandbox: run', () => {
  it('moves time until the promise settles, and no further', async () => {
    const { clock, run } = createSandbox();
    void clock.wait(5_000);
    expect(await run(clock.wait(2_000).then(() => 'done'))).to.equal('done');
    expect(clock.monotonic()).to.equal(2_000);
  });

  it('does not move time for what is settled already, and hands failures on', async () => {
    const { clock, run } = createSandbox();
    void clock.wait(5_000);
    expect(await run(Promise.resolve(7))).to.equal(7);
    expect((await failure(run(Promise.reject(new Error('mine'))))).message).to.equal('mine');
    expect(clock.monotonic()).to.equal(0);
  });

  it('waits for work of the runtime that takes a while', async () => {
    const work = new Promise((resolve) => void setTimeout(() => resolve('done'), 300));
    expect(await createSandbox().run(work)).to.equal('done');
  });

  it('says so when nothing is left to wait for', async () => {
    const { clock, run } = createSandbox();
    const error = await failure(run(clock.wait(10).then(() => new Promise(() => {}))));
    expect(error.name).to.equal('InputError');
    expect(error.message).to.contain('no timer of the sandbox is running');
    expect(clock.monotonic()).to.equal(10);
  });

  it("gives up after a virtual time of one's choice", async () => {
    const { clock, run } = createSandbox();
    const forever = async (): Promise<never> => {
      for (;;) await clock.wait(1_000);
    };
    expect((await failure(run(forever(), { timeout: 60_000 }))).message).to.contain(
      '60000 ms of sandbox time',
    );
    expect(clock.monotonic()).to.equal(60_000);
  });

  it('works beside advance and inside itself', async () => {
    const { clock, run, advance } = createSandbox();
    const seen: number[] = [];
    const inner = async (): Promise<void> => {
      await advance(100);
      seen.push(clock.monotonic());
      await run(clock.wait(50));
      seen.push(clock.monotonic());
    };
    const beside = clock
      .wait(30)
      .then(() => clock.wait(90))
      .then(() => seen.push(clock.monotonic()));
    await Promise.all([run(beside), run(inner()), run(beside)]);
    expect(seen).to.deep.equal([100, 120, 150]);
  });
});

describe('sandbox: work outside of virtual time', () => {
  it('holds time while it is open', async () => {
    const { clock, advance } = createSandbox();
    let end: () => void = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    let openAt: number | undefined;
    void clock.external(work).then(() => {
      openAt = clock.monotonic();
    });
    const moved = advance(1_000);
    await systemClock.wait(10);
    expect(clock.monotonic()).to.equal(0);
    end();
    await moved;
    expect(openAt).to.equal(0);
    expect(clock.monotonic()).to.equal(1_000);
  });

  it('holds time when it begins between two timers, and when it fails', async () => {
    const { clock, advance } = createSandbox();
    const seen: string[] = [];
    void clock.wait(10).then(async () => {
      await clock
        .external(systemClock.wait(5).then(() => Promise.reject(new Error('lost'))))
        .catch(() => seen.push(`failed@${clock.monotonic()}`));
    });
    void clock.wait(11).then(() => seen.push(`timer@${clock.monotonic()}`));
    await advance(20);
    expect(seen).to.deep.equal(['failed@10', 'timer@11']);
  });

  it("counts the reading of an answer's body", async () => {
    const sandbox = createSandbox();
    void sandbox.clock.wait(1);
    const at = await sandbox.run(
      sandbox
        .fetch('/v1/invoices')
        .then((answer) => answer.json())
        .then(() => sandbox.clock.monotonic()),
    );
    expect(at).to.equal(0);
  });
});

describe('the clock of the machine', () => {
  it('does not end a wait at once that is longer than timers of a runtime take', async () => {
    const stop = new AbortController();
    let hasEnded = false;
    const wait = systemClock.wait(30 * 86_400_000, stop.signal).then(() => void (hasEnded = true));
    await systemClock.wait(5);
    expect(hasEnded).to.equal(false);
    stop.abort();
    await wait;
  });
});

describe('sandbox: real time', () => {
  it('goes by itself and can be pushed ahead', async () => {
    const { clock, advance, run } = createSandbox({ clock: 'real' });
    const before = clock.monotonic();
    expect(Math.abs(clock.now() - systemClock.now())).to.be.below(1_000);
    await clock.wait(2);
    const seen: string[] = [];
    const note = (ms: number): void =>
      void seen.push(`${ms} at ${Math.floor((clock.monotonic() - before) / 10_000)}0000`);
    const waits = [60_000, 20_000].map((ms) => clock.wait(ms).then(() => note(ms)));
    await advance(90_000);
    await Promise.all(waits);
    expect(seen).to.deep.equal(['20000 at 20000', '60000 at 60000']);
    expect(clock.monotonic() - before).to.be.within(90_000, 95_000);
    expect(clock.now() - systemClock.now()).to.be.within(89_000, 91_000);
    expect(await run(Promise.resolve('as it is'))).to.equal('as it is');
  });

  it('is not pushed ahead over open work', async () => {
    const { clock, advance } = createSandbox({ clock: 'real' });
    const before = clock.monotonic();
    const passed = (): number => Math.round((clock.monotonic() - before) / 10_000); // a timer may ring a moment early
    const seen: string[] = [];
    const first = clock
      .wait(10_000)
      .then(() => clock.external(systemClock.wait(20)))
      .then(() => seen.push(`read at ${passed()}`));
    const second = clock.wait(30_000).then(() => seen.push(`timer at ${passed()}`));
    await advance(40_000);
    await Promise.all([first, second]);
    expect(seen).to.deep.equal(['read at 1', 'timer at 3']);
  });

  it('frees its timer when the signal aborts', async () => {
    const { clock } = createSandbox({ clock: 'real' });
    const stop = new AbortController();
    const wait = clock.wait(60_000, stop.signal);
    stop.abort();
    await wait;
  });
});
