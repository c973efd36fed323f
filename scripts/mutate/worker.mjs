// A process that has loaded the copy and its tests, and plays mutants as it is told.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, places, place = '0', variant = '0', ...files] = process.argv.slice(2);
const hits = new Uint32Array(Number(places) + 1);
let calls = 0;
let mostCalls = Infinity;
let active = Number(place);
globalThis.__k = Number(variant);
globalThis.__m = (at) => {
  hits[at]++;
  if (++calls > mostCalls) throw new Error('endless: far more steps than without the change');
  return at === active;
};

// What a test that failed has left behind may still end in errors; they are none of the next test's.
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
for (const name of ['log', 'warn', 'error', 'info', 'debug']) console[name] = () => {};

const { collected, declaring } = await import(pathToFileURL(join(folder, 'collect.mjs')).href);
const timer = { set: setTimeout, clear: clearTimeout, every: setInterval, stop: clearInterval };
let broken;
try {
  for (const file of files) {
    declaring.file = file;
    await import(pathToFileURL(join(folder, file)).href);
  }
} catch (error) {
  broken = String(error);
}
const atLoad = hits.slice();

/** What is still going on in this process, but for the channel to the parent and our own timer. */
const isIdle = () =>
  process.getActiveResourcesInfo().filter((name) => !/Pipe|TTY|Stream|Signal/.test(name)).length <=
  1;

/** Rejects when nothing is left that could settle the test. */
function stuck() {
  let quiet = 0;
  let seen = -1;
  let watching;
  const rejected = new Promise((_, reject) => {
    watching = timer.every(() => {
      quiet = isIdle() && calls === seen ? quiet + 1 : 0;
      seen = calls;
      if (quiet >= 25) reject(new Error('stuck: nothing is left that could end it'));
    }, 40);
  });
  return { rejected, stop: () => timer.stop(watching) };
}

async function play({ test, most = Infinity }) {
  hits.fill(0);
  calls = 0;
  mostCalls = most;
  const begun = process.cpuUsage();
  const watch = stuck();
  let failure;
  try {
    await Promise.race([collected[test].body(), watch.rejected]);
    if (calls > mostCalls) failure = 'endless';
  } catch (error) {
    failure = String(error?.message ?? error).slice(0, 200) || 'failed';
  } finally {
    watch.stop();
    mostCalls = Infinity;
  }
  const { user, system } = process.cpuUsage(begun); // other work on the machine does not count
  return { failure, calls, milliseconds: (user + system) / 1000 };
}

const placesHit = (counts) => {
  const found = [];
  for (let at = 1; at < counts.length; at++) if (counts[at] > 0) found.push(at);
  return found;
};

process.on('message', async (task) => {
  if (task.place !== undefined) {
    active = task.place;
    globalThis.__k = task.variant;
  }
  process.send({ begins: true });
  const outcome = await play(task);
  process.send({ ...outcome, ...(task.wantsPlaces && { places: placesHit(hits) }) });
});
process.on('disconnect', () => process.exit());
process.send({
  ready: true,
  broken,
  atLoad: placesHit(atLoad),
  tests: collected.map(({ name, file }) => ({ name, file })),
});
