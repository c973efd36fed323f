// Real processes on one login: clocks up to an hour apart, one store with compare-and-set, one
// login server.
//   npm run oauth-processes                              8 processes, 100 rounds, 9 kills
//   npm run oauth-processes -- --rounds 10 --kills 2     as inside npm test
// In a round everybody's token is refused at once: exactly one refresh, and everybody has the same
// new token. In a kill the process that took the lease dies: before it sends, after it sent, or
// after the login server has processed it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openWorld } from './oauth-processes/world.mjs';

const usual = { processes: '8', rounds: '100', kills: '9', seed: '1' };
const { values } = parseArgs({
  options: Object.fromEntries(Object.keys(usual).map((name) => [name, { type: 'string' }])),
});
const [size, rounds, kills, seed] = Object.values({ ...usual, ...values }).map(Number);
const ATTEMPT_LIMIT = 1_000;
const HOUR = 3_600_000;
const CHILD = fileURLToPath(new URL('oauth-processes/process.mjs', import.meta.url));
const KINDS = ['processed', 'sent', 'taken'];

let drawn = seed;
const draw = (below) => {
  drawn = (Math.imul(drawn, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((drawn / 2 ** 32) * below);
};

const answerOf = async (child) => {
  const gone = new AbortController();
  const killed = once(child, 'exit', gone).then(() => ['killed']);
  const [found] = await Promise.race([once(child, 'message', gone), killed]);
  gone.abort();
  return found;
};

const startOne = async (world, who) => {
  const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({ make: { ...world.options, who, skew: draw(2 * HOUR) - HOUR } });
  await answerOf(child);
  return child;
};

const askAll = (crew, refused) =>
  Promise.all(
    crew.map((child) => {
      child.send({ ask: { refused, delay: draw(50) } });
      return answerOf(child);
    }),
  );

const failures = [];
const check = (isRight, text) => void (isRight || failures.push(text));

/** Everybody's token is refused at once, again and again. */
async function renew(world, crew) {
  let token = await world.logIn();
  await askAll(crew); // all have seen it
  const counts = [];
  let lost = 0;
  for (let round = 0; round < rounds; round++) {
    world.sandbox.oauth.end('access');
    const before = world.refreshes();
    const given = await askAll(crew, token);
    counts.push(world.refreshes() - before);
    const found = new Set(given.map((each) => each.token ?? each.code));
    if (given.some(({ code }) => code === 'LOGIN_REQUIRED')) lost += 1;
    const isGood =
      found.size === 1 && !found.has(token) && given.every(({ unsure }) => unsure === 0);
    check(isGood, `round ${round}: ${given.map(({ code = 'token', unsure }) => code + unsure)}`);
    token = given[0].token ?? (await world.logIn());
    check(await world.takes(token), `round ${round}: a token that the service refuses`);
  }
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  check(least === 1 && most === 1 && lost === 0, 'more or less than one refresh, or a login lost');
  const found = `${least} to ${most} refreshes a round, ${lost} logins lost`;
  console.log(`${size} processes, ${rounds} rounds, clocks up to an hour apart: ${found}`);
}

/** Who takes the lease dies; resolves when it is dead. */
function killHolder(world, crew, kind) {
  return new Promise((resolve) => {
    let holder;
    const kill = () => {
      world.hooks.onSwap = world.hooks.onRefresh = undefined;
      crew[holder].kill('SIGKILL');
      resolve(holder);
    };
    world.hooks.onSwap = (who, value) => {
      if (!value?.lease) return;
      holder = who;
      if (kind === 'taken') kill();
    };
    world.hooks.onRefresh = async (answer) => {
      if (kind === 'processed') await answer();
      kill();
      throw new Error('nobody is there any more');
    };
  });
}

async function killOne(world, crew, kind, tally) {
  const token = await world.logIn();
  await askAll(crew);
  world.sandbox.oauth.end('access');
  const killed = killHolder(world, crew, kind);
  const [before, started] = [world.refreshes() + (kind === 'taken' ? 0 : 1), performance.now()];
  const [holder, answers] = await Promise.all([killed, askAll(crew, token)]);
  const given = answers.filter((answer) => answer !== 'killed');
  tally.longest = Math.max(tally.longest, performance.now() - started);
  const isLost = given.some(({ code }) => code === 'LOGIN_REQUIRED');
  if (isLost) tally[kind === 'processed' ? 'unavoidable' : 'lost'] += 1;
  const sent = world.refreshes() - before;
  check(
    given.length === size - 1 && sent === 1,
    `${kind}: ${sent} refreshes of ${given.length} others`,
  );
  check(isLost === (kind === 'processed'), `${kind}: ${isLost ? 'lost' : 'not lost'}`);
  check(
    given.some(({ unsure }) => unsure === 1),
    `${kind}: sent again, and nobody was told`,
  );
  crew[holder] = await startOne(world, holder);
}

const world = await openWorld({ draw, attemptTimeout: ATTEMPT_LIMIT });
const crew = await Promise.all(Array.from({ length: size }, (_, who) => startOne(world, who)));
try {
  await renew(world, crew);
  const tally = { lost: 0, unavoidable: 0, longest: 0 };
  for (let kill = 0; kill < kills; kill++)
    await killOne(world, crew, KINDS[kill % KINDS.length], tally);
  const { lost, unavoidable, longest } = tally;
  console.log(
    `${kills} processes killed with the lease of ${2 * ATTEMPT_LIMIT} ms: the others went on`,
  );
  console.log(
    `  after at most ${Math.round(longest)} ms, ${lost} logins lost, beside ${unavoidable}`,
  );
  console.log('  whose refresh was processed and its answer lost with the process');
} finally {
  for (const child of crew) child.kill('SIGKILL');
  await world.close();
}
for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
