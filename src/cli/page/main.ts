import { systemClock } from '../../core/time/index.ts';
import { ask, type Said } from './ask.ts';
import { buttonOf, byId, fill, make, say } from './dom.ts';
import { type FaultOn, showFaults } from './faults.ts';
import {
  type Act,
  balanceLines,
  deliveryLines,
  eventLines,
  nounLines,
  requestLines,
  timeOf,
} from './lines.ts';
import { NOUNS, worldOf } from './nouns.ts';

interface State {
  readonly now: number;
  readonly accounts: readonly string[];
  readonly apiKey: string;
  readonly requests: number;
  readonly deliveries: number;
  readonly postings: number;
}

interface Books {
  readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const PACE = 1_000;
const MOST = 40;
const TIMES: readonly (readonly [string, number])[] = [
  ['+10 s', 10_000],
  ['+1 min', 60_000],
  ['+1 h', 3_600_000],
  ['+1 day', 86_400_000],
];

const chosen = byId('account') as HTMLSelectElement;
let looking: Promise<void> = Promise.resolve();

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
  const state = await ask<State & Said>('GET', 'state');
  showAccounts(state.accounts);
  const account = chosen.value;
  const [world, log, deliveries, { balances }, faults] = await Promise.all([
    worldOf(account),
    ask<readonly Said[]>('GET', `log?after=${state.requests - MOST}`),
    ask<readonly Said[]>('GET', `deliveries?after=${state.deliveries - MOST}`),
    ask<Books>('GET', `ledger?after=${state.postings}`),
    ask<readonly FaultOn[]>('GET', 'faults'),
  ]);
  say(byId('now'), timeOf(state.now));
  if (byId('key').textContent === '') say(byId('key'), state.apiKey);
  showFaults(faults, act);
  for (const noun of NOUNS) fillSection(noun.name, nounLines(noun, { account, world }, act));
  fillSection('balances', balanceLines(balances, account));
  fillSection('events', eventLines((world['events'] ?? []) as readonly Said[]));
  fillSection('deliveries', deliveryLines([...deliveries].reverse()));
  fillSection('requests', requestLines([...log].reverse()));
}

function showAccounts(handles: readonly string[]): void {
  fill(
    chosen,
    handles.map((handle) => ({
      key: handle,
      mark: handle,
      make: () => make('option', {}, handle),
    })),
  );
}

/** A section that is empty takes no room. */
function fillSection(name: string, lines: ReturnType<typeof eventLines>): void {
  const list = document.querySelector<HTMLElement>(`[data-list="${name}"]`)!;
  fill(list, lines);
  const section = list.closest('section')!;
  section.hidden = lines.length === 0;
  say(
    section.querySelector('.count')!,
    lines.length < MOST ? `${lines.length}` : `last ${lines.length}`,
  );
}

function makeSections(): void {
  const titles = [
    ['balances', 'Balances'],
    ...NOUNS.map(({ name, title }) => [name, title]),
    ['events', 'Events'],
    ['deliveries', 'Webhook deliveries'],
    ['requests', 'Requests'],
  ] as const;
  byId('sections').append(
    ...titles.map(([name, title], index) =>
      make(
        'section',
        { 'aria-labelledby': `title-${index}`, hidden: '' },
        make('h2', { id: `title-${index}` }, title!, ' ', make('span', { class: 'count' })),
        make('ul', { 'data-list': name!, tabindex: '0', 'aria-labelledby': `title-${index}` }),
      ),
    ),
  );
}

function makeButtons(): void {
  byId('time').append(
    ...TIMES.map(([label, duration]) =>
      buttonOf(label, `Move time: ${label}`, () =>
        act(`Time ${label}`, () => ask('POST', 'advance', { duration })),
      ),
    ),
  );
  byId('base').textContent = location.origin;
  for (const id of ['base', 'key'])
    byId(`copy-${id}`).addEventListener('click', () =>
      act('Copy', () => navigator.clipboard.writeText(byId(id).textContent ?? '')),
    );
  byId('new-key').addEventListener('click', () =>
    act('Make a key', async () => {
      const { apiKey } = await ask<{ readonly apiKey: string }>('POST', 'keys', {
        account: chosen.value,
      });
      say(byId('key'), apiKey);
    }),
  );
  chosen.addEventListener('change', () => void look());
}

makeSections();
makeButtons();
for (;;) {
  if (document.visibilityState === 'visible') await look();
  await systemClock.wait(PACE);
}
