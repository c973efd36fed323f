import { makeButton } from '../../devtools/detail.ts';
import { clockText, spanText } from '../../devtools/rows.ts';
import { pressKey, Timeline } from '../../devtools/timeline.ts';
import { type Act, Bench } from './bench.ts';
import { toCurl, toSdk } from './copy.ts';
import { byId, make, moneyText, say } from './dom.ts';
import { Drawer } from './drawer.ts';
import { fillBeginning, Forms } from './forms.ts';
import { Inspector } from './inspector.ts';
import { RailPane } from './rail.ts';
import { ask, loadDirectory, openStream, asText } from './server.ts';

/** Amounts by which the buttons advance time, in milliseconds. */
const STEPS = [10_000, 60_000, 3_600_000, 86_400_000];
/** Interval between updates to the clock in the header, in milliseconds. */
const TICK_MS = 1_000;
/**
 * If the sandbox's clock is less than this many milliseconds ahead, the page shows it as real time.
 */
const AHEAD_MS = 5_000;

const act: Act = async (label, run) => {
  say(byId('status'), `${label} …`);
  try {
    await run();
    say(byId('status'), `${label}: done`);
  } catch (thrown) {
    say(byId('status'), `${label}: ${thrown instanceof Error ? thrown.message : 'refused'}`);
  }
};

const bench = new Bench(await loadDirectory());
const timeline = new Timeline(
  { request: 'Requests', event: 'Events', webhook: 'Webhooks', state: 'States' },
  (key) => bench.select({ is: 'row', key }),
);
byId('timeline').prepend(timeline.root);
new Inspector(bench, act, timeline);
const forms = new Forms(bench, act);
new RailPane(bench, act, (resource) => forms.open(resource));
new Drawer(bench, act);
makeBar();
showTimeline();
bench.listen((change) => {
  if (['rows', 'selection', 'view'].includes(change)) showTimeline();
  if (change === 'pulse') showBar();
  if (change === 'world') showBeginning();
  if (change === 'live')
    say(
      byId('trouble'),
      bench.isLive ? '' : "The sandbox isn't responding. This page will reconnect automatically.",
    );
});
document.addEventListener('keydown', (pressed) => pressKey(pressed, KEYS));
addEventListener('hashchange', openPlace);
openStream({
  rows(rows) {
    bench.take(rows);
    openPlace();
  },
  pulse: (pulse) => bench.setPulse(pulse),
  world: () => bench.forget(),
  live: (isLive) => {
    bench.isLive = isLive;
    byId('live').classList.toggle('away', !isLive);
    say(byId('live'), isLive ? 'live' : 'away');
    bench.tell('live');
  },
});

/**
 * Matches URL fragments that identify a resource or a timeline row, such as `#invoice/ID`, `#r12`
 * or `#w3`.
 */
const PLACE = /^#(?:([a-zA-Z]+)\/([\w-]+)|([a-z]\d+))$/;

/** Selects the resource or row in the URL, as soon as the page has received it. */
function openPlace(): void {
  const [, subject, id = '', key = ''] = PLACE.exec(location.hash) ?? [];
  const isHere = subject ? bench.rows.some(({ about }) => about.includes(id)) : bench.row(key);
  if (!isHere) return;
  history.replaceState(null, '', location.pathname);
  bench.select(subject ? { is: 'item', subject, id } : { is: 'row', key });
}

function showTimeline(): void {
  const { rows, selection, view } = bench;
  byId('timeline').hidden = view !== undefined;
  byId('begin').hidden = rows.length > 0;
  timeline.root.hidden = rows.length === 0;
  timeline.show(rows, selection);
}

function makeBar(): void {
  byId('time').append(
    ...STEPS.map((duration) => {
      const label = `+${spanText(duration)}`;
      const run = () => ask('POST', 'advance', { duration });
      return makeButton(label, `Move time: ${label}`, () => void act(`Time ${label}`, run));
    }),
  );
  byId('account').addEventListener('change', () =>
    bench.choose(byId<HTMLSelectElement>('account').value),
  );
  byId('copy-key').addEventListener('click', () => {
    void act('Copy key', () => navigator.clipboard.writeText(bench.key));
  });
  byId('first').addEventListener('click', () => void act('Create an invoice', createInvoice));
  byId('menu').addEventListener('click', () => document.body.classList.toggle('menu'));
  setInterval(showClock, TICK_MS);
}

let heardAt = 0;

function showBar(): void {
  heardAt = performance.now();
  const chosen = byId<HTMLSelectElement>('account');
  const { accounts = [] } = bench.pulse ?? {};
  if (chosen.options.length !== accounts.length)
    chosen.replaceChildren(...accounts.map((handle) => make('option', {}, handle)));
  chosen.value = bench.account;
  showClock();
}

function showClock(): void {
  if (!bench.pulse) return;
  const { now, isMoving } = bench.pulse;
  const time = isMoving ? now + performance.now() - heardAt : now;
  const ahead = time - Date.now();
  const text = isMoving ? (ahead > AHEAD_MS ? ` (virtual +${spanText(ahead)})` : '') : ' (still)';
  say(byId('now'), clockText(time, 0) + text);
}

function showBeginning(): void {
  const [facts] = bench.items('account');
  say(byId('key'), bench.key);
  say(
    byId('facts'),
    [
      ((facts?.['currencies'] ?? []) as readonly string[]).join(', '),
      facts?.['isPrivate'] && 'private',
      facts?.['canReceive'] === false && 'cannot receive',
      facts?.['travelRule'] && 'travel rule',
    ]
      .filter(Boolean)
      .join(' · '),
  );
  if (bench.rows.length > 0) return;
  const draft = firstDraft();
  say(byId('first'), `Create an invoice of ${moneyText(draft.amount)}`);
  const body = JSON.stringify(draft);
  const asked = { method: 'POST', path: '/v1/invoices', body };
  const place = { origin: location.origin, apiKey: bench.key };
  fillBeginning(
    { SDK: toSdk(asked, place, bench.directory.routes), curl: toCurl(asked, place) },
    act,
  );
}

function firstDraft(): { readonly amount: object; readonly description: string } {
  const [facts] = bench.items('account');
  const currencies = (facts?.['currencies'] ?? []) as readonly string[];
  const currency = currencies.includes('EUR') ? 'EUR' : (currencies[0] ?? 'EUR');
  return { amount: { amount: '12.50', currency }, description: 'A first invoice' };
}

/** Creates the first invoice with a normal API request. */
async function createInvoice(): Promise<void> {
  const draft = { ...firstDraft(), correlationId: crypto.randomUUID() };
  const invoiceId = asText((await bench.send('POST', '/v1/invoices', draft))['invoiceId']);
  await bench.send('POST', `/v1/invoices/${invoiceId}/quote`);
  bench.select({ is: 'item', subject: 'invoice', id: invoiceId });
}

/** Pays the selected invoice, or the newest open one. */
async function payOne(): Promise<void> {
  await bench.whenRead(); // an invoice's row may arrive before the invoice itself
  const { selection } = bench;
  const open = bench.items('invoices').filter(({ state }) => state === 'UNPAID');
  const chosen =
    selection?.is === 'item' && open.find(({ invoiceId }) => invoiceId === selection.id);
  const target = asText((chosen || open[0])?.['invoiceId']);
  if (target) void act('Invoices, Pay', () => ask('POST', 'pay', { target }));
  else say(byId('status'), 'No invoice is open.');
}

/** The page's keyboard shortcuts. */
const KEYS: Readonly<Record<string, () => void>> = {
  ...timeline.keys,
  p: () => void payOne(),
  t: () => byId('time').querySelector('button')?.focus(),
  Escape: () => bench.select(undefined),
};
