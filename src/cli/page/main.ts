import { systemClock } from '../../core/time.ts';
import {
  type AccountWorld,
  chosenAccount,
  makeAccount,
  showAccount,
  showHandles,
} from './account.ts';
import { ask, type Said } from './ask.ts';
import { buttonOf, byId, say } from './dom.ts';
import { type FaultOn, showFaults } from './faults.ts';
import {
  type Act,
  balanceLines,
  deliveryLines,
  eventLines,
  resourceLines,
  timeOf,
} from './lines.ts';
import { loadResources, type PageResource, worldOf } from './resources.ts';
import { keyLines, requestLines, type Use, useLines } from './requests.ts';
import { fillSection, makeSections, MOST } from './sections.ts';

interface State {
  readonly now: number;
  readonly accounts: readonly string[];
  readonly requests: number;
  readonly deliveries: number;
  readonly postings: number;
}

interface Books {
  readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const PACE = 1_000;
const TIMES: readonly (readonly [string, number])[] = [
  ['+10 s', 10_000],
  ['+1 min', 60_000],
  ['+1 h', 3_600_000],
  ['+1 day', 86_400_000],
];

let looking: Promise<void> = Promise.resolve();
let resources: readonly PageResource[] = [];

/** Does something, says what came of it, and looks again. */
const act: Act = (label, run) => {
  say(byId('status'), `${label} …`);
  void run()
    .then(
      () => `${label}: done`,
      (thrown: unknown) => `${label}: ${thrown instanceof Error ? thrown.message : 'refused'}`,
    )
    .then(async (text) => {
      await look();
      say(byId('status'), text);
    });
};

/** Asks for everything and shows it; one look after the other, so that no older one comes last. */
function look(): Promise<void> {
  looking = looking.then(show).then(
    () => say(byId('trouble'), ''),
    () => say(byId('trouble'), 'The sandbox does not answer. This page goes on when it does.'),
  );
  return looking;
}

async function show(): Promise<void> {
  if (resources.length === 0) makeSections((resources = await loadResources()));
  const state = await ask<State>('GET', 'state');
  showHandles(state.accounts);
  const account = chosenAccount();
  const [world, log, deliveries, { balances }, faults, uses] = await Promise.all([
    worldOf(account),
    ask<readonly Said[]>('GET', `log?after=${state.requests - MOST}`),
    ask<readonly Said[]>('GET', `deliveries?after=${state.deliveries - MOST}`),
    ask<Books>('GET', `ledger?after=${state.postings}`),
    ask<readonly FaultOn[]>('GET', 'faults'),
    ask<readonly Use[]>('GET', 'report'),
  ]);
  say(byId('now'), timeOf(state.now));
  showAccount(world as unknown as AccountWorld);
  showFaults(faults, act);
  for (const resource of resources)
    fillSection(resource.name, resourceLines(resource, { account, world }, act));
  fillSection('balances', balanceLines(balances, account));
  fillSection('events', eventLines((world['events'] ?? []) as readonly Said[]));
  fillSection('deliveries', deliveryLines([...deliveries].reverse()));
  fillSection('api-keys', keyLines((world['api-keys'] ?? []) as readonly Said[], act));
  fillSection('requests', requestLines([...log].reverse(), uses));
  fillSection('report', useLines(uses));
}

function makeButtons(): void {
  byId('time').append(
    ...TIMES.map(([label, duration]) =>
      buttonOf(label, `Move time: ${label}`, () =>
        act(`Time ${label}`, () => ask('POST', 'advance', { duration })),
      ),
    ),
  );
  makeAccount(act, look);
}

makeButtons();
for (;;) {
  if (document.visibilityState === 'visible') await look();
  await systemClock.wait(PACE);
}
