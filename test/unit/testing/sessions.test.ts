// Node only: test tools compute the same in every engine.
// Protects: a session with a network that fails can be played again from its file: the same emissions at the same times.
import { expect } from 'chai';
import { parseRecording } from 'paystate/testing';
import { describe, itLong } from '#test';
import { recordSession, replaySession } from './recorded-session.ts';

const SESSIONS = 5;

describe('a recorded session', () => {
  itLong(`is played again, emission by emission: ${SESSIONS} drawn ones`, async () => {
    let failures = 0;
    for (let seed = 1; seed <= SESSIONS; seed++) {
      const { heard, file, secrets } = await recordSession(seed);
      const { exchanges, states, decisions, dropped } = parseRecording(file);
      const played = await replaySession(seed, file);
      expect(played.heard, `seed ${seed}`).to.deep.equal(heard);
      expect(played.again.states).to.deep.equal(states);
      expect(played.again.decisions).to.deep.equal(decisions);
      expect([played.asked, dropped]).to.deep.equal([0, 0]);
      for (const secret of secrets) expect(file).not.to.include(secret);
      failures += exchanges.filter(({ response }) => response?.end !== 'whole').length;
    }
    expect(failures).to.be.above(SESSIONS);
  });
});
