// Lets real processes share one login: it is refreshed once for all, also when the process that refreshes is killed.
// Their clocks are up to an hour apart; they have one store with compare-and-set, and one login server.
//   npm run prove -- oauth-processes                           8 processes, 100 rounds, 9 kills
//   npm run prove -- oauth-processes --rounds 10 --kills 2     as inside npm test
// In a round everybody's token is refused at once: exactly one refresh, and everybody has the same new token. In a kill the
// process that took the lease dies: before it sends, after it sent, or after the login server has processed it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chanceOf } from '../shared/chance.ts';
import { Checks, numberOf } from '../shared/options.ts';
import type { Given, Order } from './messages.ts';
import { openWorld, type World } from './world.ts';

const args = process.argv.slice(2);
const size = numberOf(args, 'processes', 8);
const rounds = numberOf(args, 'rounds', 100);
const kills = numberOf(args, 'kills', 9);
const chance = chanceOf(`oauth-processes/${numberOf(args, 'seed', 1)}`);
const draw = (below: number): number => chance.between(0, below - 1);

const ATTEMPT_TIMEOUT_MS = 1_000;
const HOUR_MS = 3_600_000;
const ASKS_WITHIN_MS = 50;
const MOST_SHOWN = 20;
const CHILD = fileURLToPath(new URL('process.ts', import.meta.url));
/** When the holder of the lease dies. */
const KINDS = ['processed', 'sent', 'taken'] as const;
type Kind = (typeof KINDS)[number];

const checks = new Checks();
const send = (child: ChildProcess, order: Order): void => void child.send(order);

/** Resolves to what the process says next; to `killed` where it ends. */
async function answerOf(child: ChildProcess): Promise<Given | 'killed'> {
  const gone = new AbortController();
  const killed = once(child, 'exit', gone).then(() => ['killed'] as const);
  const said = once(child, 'message', gone) as Promise<[Given]>;
  const [found] = await Promise.race([said, killed]);
  gone.abort();
  return found;
}

async function startOne(world: World, who: number): Promise<ChildProcess> {
  const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const skew = draw(2 * HOUR_MS) - HOUR_MS;
  send(child, { order: 'make', login: world.login, who, skew });
  await answerOf(child);
  return child;
}

/** Asks all at nearly the same time. */
const askAll = (
  crew: readonly ChildProcess[],
  refused?: string,
): Promise<readonly (Given | 'killed')[]> =>
  Promise.all(
    crew.map((child) => {
      send(child, { order: 'ask', refused, delay: draw(ASKS_WITHIN_MS) });
      return answerOf(child);
    }),
  );

const living = (answers: readonly (Given | 'killed')[]): readonly Given[] =>
  answers.filter((answer) => answer !== 'killed');

/** Everybody's token is refused at once, again and again. */
async function renew(world: World, crew: readonly ChildProcess[]): Promise<void> {
  let token = await world.logIn();
  await askAll(crew); // all have seen it
  const counts: number[] = [];
  let lost = 0;
  for (let round = 0; round < rounds; round++) {
    world.sandbox.oauth.end('access');
    const before = world.refreshes();
    const given = living(await askAll(crew, token));
    counts.push(world.refreshes() - before);
    const found = new Set(given.map((each) => each.token ?? each.code));
    if (given.some(({ code }) => code === 'LOGIN_REQUIRED')) lost += 1;
    const isSure = given.length === size && given.every(({ unsure }) => unsure === 0);
    const all = given.map(({ code = 'token', unsure }) => `${code}${unsure}`).join();
    checks.check(found.size === 1 && !found.has(token) && isSure, `round ${round}: ${all}`);
    token = given[0]?.token ?? (await world.logIn());
    checks.check(await world.takes(token), `round ${round}: a token that the service refuses`);
  }
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const isOnce = least === 1 && most === 1 && lost === 0;
  checks.check(isOnce, 'more or less than one refresh, or a login lost');
  const found = `${least} to ${most} refreshes a round, ${lost} logins lost`;
  console.log(`${size} processes, ${rounds} rounds, clocks up to an hour apart: ${found}`);
}

const hasLease = (value: unknown): boolean =>
  (value as { readonly lease?: unknown } | undefined)?.lease !== undefined;

/** Kills the process that takes the lease; resolves to its number when it is dead. */
function killHolder(world: World, crew: readonly ChildProcess[], kind: Kind): Promise<number> {
  const { hooks } = world;
  return new Promise((resolve) => {
    let holder = -1;
    const kill = (): void => {
      hooks.onSwap = hooks.onRefresh = undefined;
      crew[holder]!.kill('SIGKILL');
      resolve(holder);
    };
    hooks.onSwap = (who, value) => {
      if (!hasLease(value)) return;
      holder = who;
      if (kind === 'taken') kill();
    };
    hooks.onRefresh = async (answer) => {
      if (kind === 'processed') await answer();
      kill();
      throw new Error('nobody is there any more');
    };
  });
}

interface Tally {
  lost: number;
  /** Logins whose refresh was processed and its answer lost with the process. */
  unavoidable: number;
  longest: number;
}

async function killOne(
  world: World,
  crew: ChildProcess[],
  kind: Kind,
  tally: Tally,
): Promise<void> {
  const token = await world.logIn();
  await askAll(crew);
  world.sandbox.oauth.end('access');
  const killed = killHolder(world, crew, kind);
  const before = world.refreshes() + (kind === 'taken' ? 0 : 1);
  const started = performance.now();
  const [holder, answers] = await Promise.all([killed, askAll(crew, token)]);
  const given = living(answers);
  tally.longest = Math.max(tally.longest, performance.now() - started);
  const isLost = given.some(({ code }) => code === 'LOGIN_REQUIRED');
  if (isLost) tally[kind === 'processed' ? 'unavoidable' : 'lost'] += 1;
  const sent = world.refreshes() - before;
  const isOnce = given.length === size - 1 && sent === 1;
  checks.check(isOnce, `${kind}: ${sent} refreshes of ${given.length} others`);
  checks.check(isLost === (kind === 'processed'), `${kind}: ${isLost ? 'lost' : 'not lost'}`);
  const isTold = given.some(({ unsure }) => unsure === 1);
  checks.check(isTold, `${kind}: sent again, and nobody was told`);
  crew[holder] = await startOne(world, holder);
}

const world = await openWorld(draw, ATTEMPT_TIMEOUT_MS);
const crew = await Promise.all(Array.from({ length: size }, (_, who) => startOne(world, who)));
try {
  await renew(world, crew);
  const tally: Tally = { lost: 0, unavoidable: 0, longest: 0 };
  for (let kill = 0; kill < kills; kill++)
    await killOne(world, crew, KINDS[kill % KINDS.length]!, tally);
  const { lost, unavoidable, longest } = tally;
  const lease = `the lease of ${2 * ATTEMPT_TIMEOUT_MS} ms`;
  console.log(`${kills} processes killed with ${lease}: the others went on`);
  console.log(
    `  after at most ${Math.round(longest)} ms, ${lost} logins lost, beside ${unavoidable}`,
  );
  console.log('  whose refresh was processed and its answer lost with the process');
} finally {
  for (const child of crew) child.kill('SIGKILL');
  await world.close();
}
for (const failure of checks.problems.slice(0, MOST_SHOWN)) console.log(`  ${failure}`);
process.exit(checks.problems.length === 0 ? 0 : 1);
