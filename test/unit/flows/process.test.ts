// Protects: a process that a test kills does nothing after its death, and hears late what came while its machine slept.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { createProcess } from './process.ts';

describe('a process', () => {
  it('counts its steps, and hears nothing once it has died', async () => {
    const sandbox = createSandbox();
    const store = memoryStore();
    const death = { step: 4, isAfter: true };
    const process = createProcess(sandbox, store, { death });
    const { clock } = process.clientOptions;
    let [rings, heard] = [0, 0];
    clock!.after(1_000, () => void rings++);
    clock!.after(3_000, () => void rings++);
    const work = async (): Promise<void> => {
      await process.store.put('a', 1);
      expect(await process.store.get('a')).to.deep.equal({ value: 1, version: 1 });
      await clock!.wait(2_000);
      heard = process.steps();
      await process.store.compareAndSet('a', 1, 2, true);
      heard = -1;
    };
    void work();
    await sandbox.advance(2_500);
    expect([heard, process.steps(), process.isDead(), rings]).to.deep.equal([3, 4, true, 1]);
    await sandbox.advance(10_000);
    expect([heard, rings]).to.deep.equal([3, 1]);
    expect(await store.listOpen('')).to.deep.equal([{ key: 'a', row: { value: 2, version: 2 } }]);
    void process.store.put('a', 3).then(() => (heard = -2));
    await sandbox.advance(1_000);
    expect([heard, (await store.get('a'))?.value]).to.deep.equal([3, 2]);
    expect(process.steps()).to.equal(4);
  });

  it('lives on without a death, and lists what is open', async () => {
    const sandbox = createSandbox();
    const store = memoryStore();
    const process = createProcess(sandbox, store);
    await process.store.compareAndSet('a', 0, 1, true);
    expect(await process.store.listOpen('a')).to.have.length(1);
    expect([process.store.durable, process.steps(), process.isDead()]).to.deep.equal([
      false,
      2,
      false,
    ]);
  });

  it('hears when its machine wakes what came while it slept', async () => {
    const sandbox = createSandbox();
    const { clock: world } = sandbox;
    const begun = world.monotonic();
    const sleep = { from: begun + 1_000, to: begun + 60_000 };
    const process = createProcess(sandbox, memoryStore(), { sleep });
    const { clock } = process.clientOptions;
    const heard: (readonly [string, number])[] = [];
    const note = (name: string): void => void heard.push([name, world.monotonic() - begun]);
    clock!.after(500, () => note('before'));
    clock!.after(2_000, () => note('timer'));
    clock!.after(61_000, () => note('after'));
    void clock!.wait(3_000).then(() => note('wait'));
    await sandbox.advance(120_000);
    expect(heard.sort(([, one], [, other]) => one - other)).to.deep.equal([
      ['before', 500],
      ['timer', 60_000],
      ['wait', 60_000],
      ['after', 61_000],
    ]);
  });
});
