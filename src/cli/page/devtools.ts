import { systemClock } from '../../core/time.ts';
import { defineDevtools, type DevtoolsElement } from '../../devtools/index.ts';
import { pay } from '../../flows/index.ts';
import {
  allowSecretInBrowser,
  type Client,
  createClient,
  watchBalances,
  watchInvoice,
} from '../../index.ts';
import { memoryStore } from '../../stores/index.ts';
import { byId, make, say, timeText } from './dom.ts';
import { ask, type Said, asText, askWorld } from './server.ts';

interface AccountWorld {
  readonly account: readonly [{ readonly currencies: readonly string[] }];
  readonly 'api-keys': readonly { readonly apiKey: string; readonly isRevoked: boolean }[];
}

/** Interval between searches for open invoices, in milliseconds. */
const PACE = 1_000;
/** Maximum number of invoices to watch at the same time, because each one causes requests. */
const MOST = 10;

/** Ignores all values and errors, because the devtools show them anyway. */
const LISTENER = { next() {}, error() {}, complete() {} };

class Desk {
  /** In-memory journal, which is fine because the sandbox's money isn't real. */
  readonly journal: ReturnType<typeof memoryStore> = memoryStore({ mayForget: true });
  readonly client: Client;
  readonly #currency: string;
  readonly #watched: Map<string, () => void> = new Map();
  readonly #stop: () => void;

  constructor(apiKey: string, currencies: readonly string[]) {
    this.client = createClient({ baseUrl: location.origin, apiKey, [allowSecretInBrowser]: true });
    this.#currency = currencies.find((currency) => currency !== 'BTC') ?? 'BTC';
    this.#stop = watchBalances(this.client).subscribe(LISTENER);
  }

  watch(ids: readonly string[]): void {
    for (const id of ids)
      if (!this.#watched.has(id))
        this.#watched.set(id, watchInvoice(this.client, id).subscribe(LISTENER));
    for (const [id, stop] of this.#watched)
      if (this.#watched.size > MOST && !ids.includes(id)) {
        stop();
        this.#watched.delete(id);
      }
  }

  stop(): void {
    for (const stop of [this.#stop, ...this.#watched.values()]) stop();
  }

  async create(): Promise<string> {
    const amount = { amount: '12.50', currency: this.#currency };
    const draft = { amount, description: 'An invoice from the devtools' };
    const { invoiceId } = await this.client.invoices.create(draft, { reason: 'a new order' });
    await this.client.invoices.quote(invoiceId, {}, { reason: 'get a code for the customer' });
    return `Invoice ${invoiceId} was created. You can follow it under Watches and Timeline.`;
  }

  async payOut(): Promise<string> {
    const { lnInvoice } = await ask<{ readonly lnInvoice: string }>('POST', 'bolt11', {
      sat: '1000',
    });
    const { client, journal } = this;
    const run = pay(client, {
      to: lnInvoice,
      sourceCurrency: this.#currency,
      maxFee: 'any',
      maxTotal: 'any',
      journal,
    });
    const { phase } = await run.result;
    return `The payment is ${phase}. You can see its details under Journal.`;
  }

  async read(): Promise<string> {
    const balances = await this.client.balances.list({ reason: 'requested with a button' });
    return `${balances.length} balances.`;
  }
}

const chosen = byId('account') as HTMLSelectElement;
const element = document.querySelector<HTMLElement>('paystate-devtools') as DevtoolsElement;
let desk: Desk | undefined;
let newest: string | undefined;

function press(id: string, run: () => Promise<string>): void {
  byId(id).addEventListener('click', () => {
    say(byId('status'), '…');
    void run()
      .catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : 'refused'))
      .then((text) => say(byId('status'), text));
  });
}

async function open(): Promise<void> {
  desk?.stop();
  const { account, 'api-keys': keys } = (await askWorld(chosen.value)) as unknown as AccountWorld;
  const { apiKey } = keys.find(({ isRevoked }) => !isRevoked) ?? {};
  if (!apiKey)
    throw new Error('All keys of this account are revoked. Create one in the workbench.');
  desk = new Desk(apiKey, account[0].currencies);
  Object.assign(element, { client: desk.client, journal: desk.journal });
}

/**
 * Returns the ids of open invoices, newest last. Uses the control API, so the client's rate limits
 * aren't affected.
 */
async function openInvoices(): Promise<readonly string[]> {
  const { invoices = [] } = (await askWorld(chosen.value)) as { invoices?: readonly Said[] };
  return invoices
    .filter(({ state }) => state === 'UNPAID' || state === 'PENDING')
    .sort((one, other) => (asText(one['created']) < asText(other['created']) ? -1 : 1))
    .map(({ invoiceId }) => asText(invoiceId))
    .slice(-MOST);
}

async function look(): Promise<void> {
  const { now, accounts } = await ask<{ now: number; accounts: readonly string[] }>('GET', 'state');
  say(byId('now'), timeText(now));
  if (chosen.options.length === 0) {
    chosen.append(...accounts.map((handle) => make('option', {}, handle)));
    await open();
  }
  const ids = await openInvoices();
  newest = ids.at(-1);
  desk?.watch(ids);
}

const working = (): Desk => {
  if (!desk) throw new Error("The sandbox hasn't responded yet.");
  return desk;
};

defineDevtools();
chosen.addEventListener('change', () => void open().catch(trouble));
press('create', async () => working().create());
press('customer', async () => {
  if (!newest) return 'No invoice is open.';
  await ask('POST', 'pay', { target: newest });
  return `Paid: ${newest}`;
});
press('pay', async () => working().payOut());
press('read', async () => working().read());

function trouble(thrown: unknown): void {
  say(byId('trouble'), thrown instanceof Error ? thrown.message : "The sandbox isn't responding.");
}

for (;;) {
  if (document.visibilityState === 'visible')
    await look().then(() => say(byId('trouble'), ''), trouble);
  await systemClock.wait(PACE);
}
