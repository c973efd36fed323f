// Records faulty sessions by `paystate/testing`, plays them again, and measures what recording costs.
//   npm run prove -- recording                    200 faulty sessions are recorded and played again
//   npm run prove -- recording sessions 50 1000   50 of them, from seed 1000
//   npm run prove -- recording overhead           what recording costs of a call's processor time
// It reads the last build. A session fails where its emissions, its states or its decisions differ, where
// the file is longer than 256,000 bytes or has dropped something, or where a secret is in the file.
import { isDeepStrictEqual } from 'node:util';
import { parseRecording } from 'paystate/testing';
import { recordSession, replaySession } from '../../unit/testing/recorded-session.ts';
import { measureOverhead } from './overhead.ts';

const MOST_BYTES = 256_000;

interface Played {
  readonly faults: readonly string[];
  readonly bytes: number;
  readonly emissions: number;
  readonly failures: number;
}

async function playOne(seed: number): Promise<Played> {
  const { heard, file, secrets } = await recordSession(seed);
  const recording = parseRecording(file);
  const played = await replaySession(seed, file);
  const { exchanges, states, decisions, dropped } = recording;
  const bytes = new TextEncoder().encode(file).length;
  const faults = [
    !isDeepStrictEqual(played.heard, heard) && 'other emissions',
    !isDeepStrictEqual(played.again.states, states) && 'other states',
    !isDeepStrictEqual(played.again.decisions, decisions) && 'other decisions',
    played.asked > 0 && 'asked the service',
    dropped > 0 && `dropped ${dropped}`,
    bytes > MOST_BYTES && `${bytes} bytes`,
    ...secrets.map((secret) => file.includes(secret) && 'holds a secret'),
  ].filter((fault) => fault !== false);
  const failures = exchanges.filter(
    ({ response: r }) => !r || r.end !== 'whole' || r.status >= 400,
  );
  return { faults, bytes, emissions: states.length, failures: failures.length };
}

async function playSessions(count: number, from: number): Promise<boolean> {
  let [equal, emissions, failures, largest] = [0, 0, 0, 0];
  for (let seed = from; seed < from + count; seed++) {
    const one = await playOne(seed);
    if (one.faults.length === 0) equal++;
    else console.log(`seed ${seed}: ${one.faults.join(', ')}`);
    emissions += one.emissions;
    failures += one.failures;
    largest = Math.max(largest, one.bytes);
  }
  console.log(
    `${equal} of ${count} sessions came out the same: ${emissions} emissions, ${failures} failed ` +
      `requests, the largest file ${largest} bytes, no secret in any`,
  );
  return equal === count && failures > count;
}

const [mode = 'sessions', count = '200', from = '1'] = process.argv.slice(2);
const isGood =
  mode === 'overhead' ? await measureOverhead() : await playSessions(Number(count), Number(from));
process.exitCode = isGood ? 0 : 1;
