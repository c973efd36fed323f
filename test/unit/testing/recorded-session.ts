// A shop's session with a network that fails: it is recorded in a sandbox, and played again from its file.
import {
  type Client,
  type ClientOptions,
  createClient,
  watchInvoice,
  watchInvoices,
  watchReceives,
} from 'paystate';
import { checkout, pay } from 'paystate/flows';
import {
  createSandbox,
  type DeliveryFault,
  type FaultAction,
  type Sandbox,
  type SandboxOptions,
} from 'paystate/sandbox';
import { memoryInboxStore, memoryStore } from 'paystate/stores';
import {
  createRecorder,
  createReplay,
  parseRecording,
  type Recorder,
  type Recording,
} from 'paystate/testing';
import { createInbox, type Inbox } from 'paystate/webhooks';

const WEBHOOK_SECRET = 'the webhook secret of this shop';
const MINUTES = 2;

const ACTIONS: readonly FaultAction[] = [
  'lost-before',
  'lost-after',
  'cut-body',
  { status: 500 },
  { status: 503, code: 'SERVICE_UNAVAILABLE' },
  { status: 502, html: '<h1>bad gateway</h1>' },
  { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '2' } },
  { delay: 4_000 },
  { delay: 30_000 },
  { stale: 5_000 },
];
const DELIVERIES: readonly DeliveryFault[] = [
  'lost-before',
  'duplicated',
  'reordered',
  'bad-signature',
];

/** What a session works on: the sandbox's own world, or one in which a recording is played. */
interface World {
  readonly sandbox: Sandbox;
  readonly options: ClientOptions;
  readonly recorder: Recorder;
  /** Pays from outside; nothing happens where a recording is played. */
  payLater(payable: string): void;
}

const SUBSCRIPTION = {
  webhookUrl: 'https://shop.example/hooks',
  webhookVersion: 'v1',
  enabled: true,
  eventTypes: ['invoice.created', 'invoice.updated'],
  secret: WEBHOOK_SECRET,
} as const;

/** Numbers from 0 up to 1, the same for the same seed. */
function choicesOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const openInbox = (client: Client, handled: string[]): Inbox =>
  createInbox({
    client,
    secrets: WEBHOOK_SECRET,
    store: memoryInboxStore(),
    on: {
      invoicePaid: (invoice, { key }) => void handled.push(`${invoice.state} ${key}`),
    },
  });

/**
 * Creates invoices, watches them and their list, shows a checkout, pays once, and works on webhooks.
 * Returns what its subscribers and handlers heard, and when.
 */
async function playSession(
  world: World,
  seed: number,
  connect: (handle: Inbox['handle']) => void,
): Promise<readonly string[]> {
  const { sandbox, options, recorder } = world;
  const heard: string[] = [];
  const choose = choicesOf(seed);
  const client = createClient(options);
  recorder.attach(client);
  const note = (name: string) => (value: unknown) =>
    void heard.push(`${sandbox.clock.monotonic()} ${name} ${JSON.stringify(value)}`);
  const inbox = openInbox(client, heard);
  connect(recorder.handle((request) => inbox.handle(request)));
  const subscribed = client.subscriptions
    .create(SUBSCRIPTION)
    .then(({ enabled }) => enabled, String);
  note('subscribed')(await sandbox.run(subscribed));
  const stops: (() => void)[] = [
    recorder.watch(watchInvoices(client, { state: 'UNPAID' }), 'unpaid').subscribe(note('unpaid')),
  ];
  for (let count = 0; count < 1 + Math.floor(choose() * 2); count++) {
    const draft = { amount: { amount: `${count + 1}.50`, currency: 'EUR' } };
    const created = await sandbox.run(
      client.invoices.create(draft).then(
        (invoice) => invoice,
        (thrown: unknown) => `${thrown}`,
      ),
    );
    note('created')(created);
    if (typeof created === 'string') continue;
    const name = `invoice ${count}`;
    const invoice = recorder.watch(watchInvoice(client, created, { until: 'never' }), name);
    stops.push(invoice.subscribe(note(name)));
    if (count > 0) continue;
    const view = checkout(client, { invoiceId: created.invoiceId });
    stops.push(recorder.watch(view, 'checkout').subscribe(note('checkout')));
  }
  if (choose() < 0.5) await payOnce(world, client, note('pay'));
  if (choose() < 0.5)
    await receiveOnce(world, client, note('receives')).then((stop) => stops.push(stop));
  for (let minute = 0; minute < MINUTES; minute++) {
    await sandbox.advance(60_000);
    await sandbox.run(inbox.drain());
    if (minute % 2 === 1) await sandbox.run(inbox.reconcile()).then(note('reconcile'), note('gap'));
  }
  for (const stop of stops) stop();
  return heard;
}

/** Shows a code for Lightning, and watches what comes in. */
async function receiveOnce(
  { sandbox, recorder, payLater }: World,
  client: Client,
  note: (value: unknown) => void,
): Promise<() => void> {
  const draft = { bolt11: { amount: { amount: '0.0001', currency: 'BTC' } } };
  const made = await sandbox.run(client.receiveRequests.create(draft)).catch(String);
  note(made);
  if (typeof made === 'string') return () => {};
  payLater(made.bolt11!.invoice);
  return recorder.watch(watchReceives(client, made), 'receives').subscribe(note);
}

async function payOnce(
  { sandbox, recorder }: World,
  client: Client,
  note: (value: unknown) => void,
): Promise<void> {
  const order = { intent: 'rent', sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
  const amount = { amount: '3.00', currency: 'EUR' };
  const run = pay(client, { ...order, to: 'ada@wallet.example', amount, journal: memoryStore() });
  recorder.watch(run, 'pay').subscribe(() => {});
  const { phase } = await sandbox.run(run.result);
  note(phase);
}

/** A sandbox in which requests and webhooks fail at random, and invoices are paid after a while. */
function spoiledSandbox(seed: number, deliver: SandboxOptions['deliver']): Sandbox {
  const sandbox = createSandbox({ seed, signed: false, clock: 'virtual', deliver });
  const choose = choicesOf(seed + 1_000_003);
  for (const action of ACTIONS)
    if (choose() < 0.4) sandbox.fault({ probability: 0.02 + choose() * 0.15, action });
  for (const delivery of DELIVERIES)
    if (choose() < 0.4) sandbox.fault({ delivery, probability: 0.3 });
  for (const place of [0, 1])
    sandbox.clock.after(10_000 + choose() * 100_000, () => {
      const invoice = sandbox.inspect().invoices?.[place] as { invoiceId: string } | undefined;
      if (invoice) void sandbox.payer.pay(invoice.invoiceId).catch(() => {});
    });
  return sandbox;
}

/**
 * A network: each request takes some time, so that few responses come in the same millisecond. It
 * notes the preimages that come by.
 */
function slowFetch(
  { clock, clientOptions }: Sandbox,
  choose: () => number,
  preimages: Set<string>,
): Sandbox['fetch'] {
  return async (input, init) => {
    await clock.wait(15 + Math.floor(choose() * 240), init?.signal ?? undefined);
    init?.signal?.throwIfAborted();
    const response = await clientOptions.fetch(input, init);
    if (response.headers.get('content-encoding')) return response;
    const text = await clock.external(response.clone().text()).catch(() => '');
    for (const [, preimage] of text.matchAll(/"preimage":"([^"]+)"/gi)) preimages.add(preimage!);
    return response;
  };
}

/** A session as it was played and recorded. */
export interface RecordedSession {
  /** What its subscribers and handlers heard, and when; without preimages. */
  readonly heard: readonly string[];
  /** The recording. */
  readonly file: string;
  /** What the file must not hold. */
  readonly secrets: readonly string[];
}

/** Runs a session in a spoiled sandbox. */
export async function recordSession(seed: number): Promise<RecordedSession> {
  let handle: Inbox['handle'] = async () => new Response(null, { status: 503 });
  const sandbox = spoiledSandbox(seed, (request) => handle(request));
  const { clientOptions } = sandbox;
  const recorder = createRecorder(clientOptions);
  const preimages = new Set<string>();
  const fetch = slowFetch(sandbox, choicesOf(seed + 2_000_003), preimages);
  const options = { ...clientOptions, ...recorder.clientOptions, fetch };
  const payLater = (payable: string): void =>
    void sandbox.clock.after(20_000, () => void sandbox.payer.pay(payable).catch(() => {}));
  const world = { sandbox, options, recorder, payLater };
  const heard = await playSession(world, seed, (connected) => void (handle = connected));
  const file = JSON.stringify(await sandbox.run(recorder.recording()));
  const secrets = [clientOptions.apiKey, WEBHOOK_SECRET, 'Bearer ', ...preimages];
  const cut = (line: string): string =>
    [...preimages].reduce((text, one) => text.replaceAll(one, '[secret]'), line);
  return { heard: heard.map(cut), file, secrets };
}

/** A session that was played again. */
interface ReplayedSession {
  readonly heard: readonly string[];
  /** What was recorded this time. */
  readonly again: Recording;
  /** Requests that reached the sandbox, past the recording. */
  readonly asked: number;
}

/** Plays a file in a sandbox of another seed and another year. */
export async function replaySession(seed: number, file: string): Promise<ReplayedSession> {
  const startAt = Date.UTC(2031, 0, seed);
  const sandbox = createSandbox({ seed: seed + 7, startAt, signed: false, clock: 'virtual' });
  const { clientOptions, deliver } = createReplay(parseRecording(file), { clock: sandbox.clock });
  const recorder = createRecorder({ clock: clientOptions.clock });
  const options = { ...sandbox.clientOptions, ...clientOptions };
  const world = { sandbox, options, recorder, payLater() {} };
  const heard = await playSession(world, seed, (handle) => void deliver(handle, WEBHOOK_SECRET));
  const again = parseRecording(JSON.stringify(await sandbox.run(recorder.recording())));
  return { heard, again, asked: sandbox.log.length };
}
