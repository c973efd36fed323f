// Protects: the sandbox does what a small model says that shares no code with it. `npm run prove -- model` plays far more.
import { expect } from 'chai';
import { describe, itLong, turns } from '#test';
import { playAll } from '../../model/run.ts';
import { playLadders } from '../../model/ladders.ts';

/** Another one each time; a report names it, and `npm run prove -- model <runs> <seed>` brings it back. */
const seed = Math.floor(Math.random() * 2_147_483_647);

describe('sandbox: a model', () => {
  itLong('agrees after every command: answers, states, books and events', async () => {
    const { commands, difference } = await playAll(seed, turns(25));
    expect(difference, `seed ${seed}`).to.equal(undefined);
    expect(commands).to.be.at.least(turns(50));
  });

  itLong('agrees on every delivery: when it is sent, how often, and what ends it', async () => {
    const { difference } = await playLadders(seed, turns(8));
    expect(difference, `seed ${seed}`).to.equal(undefined);
  });
});
