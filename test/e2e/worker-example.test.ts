// Protects: the story of the example, in a real page before the real Worker and a service on the loopback.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe } from '#test';
import { startShop } from '../../demo/serve/shop.ts';
import { root } from '../house/source.ts';
import { pack } from '../house/tarball.ts';
import {
  type Engine,
  type EngineDoor,
  engines,
  it,
  openEngine,
  type Tab,
  until,
} from './engines.ts';
import { openFront } from './front.ts';

const front = await openFront();
const shop = await startShop({ origin: front.url });
front.to(shop.url);
const doors = new Map<Engine, EngineDoor>();
after(async () => {
  await Promise.all([...doors.values()].map((door) => door.close()));
  await shop.close();
  await front.close();
});

/** What pages complained of. */
const complaints: string[] = [];

/** Said of the socket that a page gave back on its way into the cache: no complaint. */
const KEPT = /Page entered Back-Forward Cache/;

/** Firefox says this of a socket that was still opening when its page was left. */
const LEFT =
  /^Error: (The connection to|Firefox can’t establish a connection to the server at) ws:/;

/** A paid page asks the shop on, also while a later test has killed the Worker. */
const ASKED_AGAIN = /\/orders\/QK-/;

async function visit(door: EngineDoor, honest = false): Promise<Tab> {
  const tab = await door.tab(honest);
  tab.page?.on(
    'console',
    (message) =>
      void (
        message.type() === 'error' &&
        !KEPT.test(message.text()) &&
        !ASKED_AGAIN.test(message.location().url ?? '') &&
        complaints.push(`${message.text()} (${message.location().url})`)
      ),
  );
  tab.page?.on(
    'pageerror',
    (error) => void (!LEFT.test(String(error)) && complaints.push(String(error))),
  );
  await tab.go(front.url);
  return tab;
}

const ELEMENT = "document.querySelector('paystate-checkout').shadowRoot";
const phase = (tab: Tab, wanted: string) =>
  until(tab, `${ELEMENT}.querySelector("[data-phase='${wanted}']")`);
const codeOf = (tab: Tab) =>
  tab.run<string>(`return ${ELEMENT}.querySelector('[part=code]').value`);
const textOf = (tab: Tab, part: string) =>
  tab.run<string>(`return ${ELEMENT}.querySelector('[part=${part}]').textContent`);

async function buy(tab: Tab): Promise<string> {
  await until(tab, "document.querySelector('#form button')");
  await tab.run("document.querySelector('#form button').click()");
  await phase(tab, 'awaiting');
  return codeOf(tab);
}

/** Time from now until the page says paid, milliseconds. */
async function untilPaid(tab: Tab, from: number = performance.now()): Promise<number> {
  await phase(tab, 'paid');
  return performance.now() - from;
}

const askShop = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${front.url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { origin: front.url, ...headers },
  });

/** What a page sends for a new order. */
const wish = (cart: unknown) => ({ key: crypto.randomUUID(), cart });

const orderIn = (tab: Tab) => tab.run<string>("return sessionStorage.getItem('order')");

const opened = await Promise.all(engines.map(openEngine));
opened.forEach((door, at) => void (door && doors.set(engines[at]!, door)));

type Story = (tabs: readonly Tab[]) => Promise<void>;

/** Tells a story in all engines at once: what it does to the network or to the service meets all of them. */
function inAll(story: string, tell: Story): void {
  it(`${story}, in ${[...doors.keys()].join(', ')}`, async () =>
    tell(await Promise.all([...doors.values()].map((door) => visit(door)))));
}

/** Tells it in one engine, where the shop decides and not the browser. */
function inOne(story: string, tell: Story): void {
  it(story, async () => tell([await visit(doors.get('chromium')!)]));
}

const each = <T>(tabs: readonly Tab[], act: (tab: Tab, at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(tabs.map(act));

/** Pays each code; resolves to how long the slowest page took to say so, milliseconds. */
async function paidIn(tabs: readonly Tab[], codes: readonly string[]): Promise<number> {
  const times = await each(tabs, async (tab, at) => {
    const start = performance.now();
    await shop.sandbox.payer.pay(codes[at]!);
    return untilPaid(tab, start);
  });
  return Math.max(...times);
}

describe("the example's page", () => {
  inAll(
    "orders, shows a code at the shop's price, and says paid within two seconds",
    async (tabs) => {
      const codes = await each(tabs, buy);
      for (const code of codes) expect(code).to.match(/^ln/);
      for (const tab of tabs) expect(await textOf(tab, 'amount')).to.equal('€16.80');
      for (const tab of tabs)
        expect(await textOf(tab, 'title')).to.equal('1 × Harbour Espresso, 500 g');
      expect(await paidIn(tabs, codes)).to.be.below(2_000);
      expect(await each(tabs, codeOf)).to.deep.equal(tabs.map(() => ''));
      expect(
        shop.sandbox.deliveries.filter(({ outcome }) => outcome === 'delivered'),
      ).not.to.have.length(0);
    },
  );

  inOne('shows the same code in every tab of an order, also after a reload', async (tabs) => {
    const codes = await each(tabs, buy);
    const others = [await visit(doors.get('chromium')!)];
    await each(tabs, async (tab, at) => {
      const other = others[at]!;
      await other.run(`sessionStorage.setItem('order', ${JSON.stringify(await orderIn(tab))})`);
      for (const one of [other, tab]) {
        await one.page?.bringToFront();
        await one.go(front.url);
        await phase(one, 'awaiting');
        expect(await codeOf(one)).to.equal(codes[at]);
      }
    });
    await paidIn(tabs, codes);
    for (const other of others) {
      await other.page?.bringToFront(); // a hidden page asks once a minute
      await untilPaid(other);
    }
  });

  inOne('says paid when no webhook comes, within a period and a bit', async (tabs) => {
    const codes = await each(tabs, buy);
    const endLost = shop.sandbox.fault({ delivery: 'lost-before' });
    const time = await paidIn(tabs, codes);
    endLost();
    expect(time).to.be.below(1.2 * 2_000 + 500 + 1_000); // the last second is the machine's
  });

  inAll('says paid when its socket was lost', async (tabs) => {
    const codes = await each(tabs, buy);
    front.loseSockets();
    expect(await paidIn(tabs, codes)).to.be.below(1.2 * 2_000 + 500 + 1_000);
  });
});

describe("the example's page in trouble", () => {
  it('shows the truth within a second of being looked at again, after a long sleep on a dead socket', async () => {
    const door = doors.get('chromium')!;
    const { page, ...tab } = await visit(door, true);
    const devtools = await page!.createCDPSession();
    const isHidden = () => tab.run<boolean>("return document.visibilityState === 'hidden'");
    await page!.bringToFront();
    const code = await buy(tab);
    const other = await door.tab(true);
    await other.page!.bringToFront();
    expect(await isHidden()).to.equal(true);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    front.silenceSockets();
    await shop.sandbox.payer.pay(code);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    expect(await phaseOf(tab)).not.to.equal('paid');
    const start = performance.now();
    await page!.bringToFront();
    expect(await untilPaid(tab, start)).to.be.below(1_000);
  });

  it('is kept whole by the browser when its customer leaves for a moment, and goes on', async () => {
    const tab = await visit(doors.get('chromium')!);
    const code = await buy(tab);
    await tab.run('window.isTheSame = true');
    await tab.go(`${front.url}/?another`); // not a style sheet: Chromium asks for the icon of one
    await tab.run('history.back()');
    await until(tab, 'window.isTheSame');
    await phase(tab, 'awaiting');
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // time for its socket
    const start = performance.now();
    await shop.sandbox.payer.pay(code);
    expect(await untilPaid(tab, start)).to.be.below(1_500); // polling alone would be slower
  });

  it('goes on by itself when the whole Worker was killed and came back', async () => {
    const door = doors.get('chromium')!;
    const tab = await door.tab(); // its complaints are right
    await tab.go(front.url);
    const code = await buy(tab);
    await shop.kill();
    await shop.sandbox.payer.pay(code);
    await shop.start();
    await phase(tab, 'paid');
  });
});

const phaseOf = (tab: Tab) =>
  tab.run<string>(`return ${ELEMENT}.querySelector('[part=card]').dataset.phase`);

describe('the example Worker', () => {
  it('takes no price from a page, and nothing that it does not sell', async () => {
    const wrong = [
      ...[{}, { free: 1 }, JSON.parse('{"__proto__":1}'), { morning: 0 }, { morning: 1.5 }],
      ...[{ morning: 11 }, { morning: '1' }, { morning: 1, free: 1 }, ['morning'], 'morning'],
    ];
    for (const [at, cart] of wrong.entries())
      expect(
        (await askShop('/orders', wish(cart), { 'cf-connecting-ip': `198.51.100.${at}` })).status,
        JSON.stringify(cart),
      ).to.equal(400);
    const order = (await (
      await askShop('/orders', {
        ...wish({ morning: 3 }),
        price: '0.01',
        amount: { amount: '0.01', currency: 'EUR' },
      })
    ).json()) as { orderId: string; orderSecret: string };
    const pass = (await (
      await askShop('/pay/token', order, { authorization: `Bearer ${order.orderSecret}` })
    ).json()) as { token: string; invoiceId: string };
    const invoice = await (
      await fetch(`${front.url}/pay/v1/invoices/${pass.invoiceId}`, {
        headers: { origin: front.url, authorization: `Bearer ${pass.token}` },
      })
    ).json();
    expect((invoice as { amount: unknown }).amount).to.deep.equal({
      amount: '28.50',
      currency: 'EUR',
    });
  });

  it('takes ten orders a minute from one address, and orders of its own pages only', async () => {
    const made = shop.sandbox.log.filter(
      ({ path, method }) => method === 'POST' && path === '/v1/invoices',
    ).length;
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async () =>
          (await askShop('/orders', wish({ morning: 1 }), { 'cf-connecting-ip': '198.51.100.2' }))
            .status,
      ),
    );
    expect(statuses.filter((status) => status === 201).length).to.be.at.most(10);
    expect(statuses.filter((status) => status === 429).length).to.be.at.least(10);
    expect(
      shop.sandbox.log.filter(({ path, method }) => method === 'POST' && path === '/v1/invoices')
        .length,
    ).to.equal(made); // invoices are made on demand
    expect(
      (await askShop('/orders', wish({ morning: 1 }), { origin: 'https://evil.example' })).status,
    ).to.equal(403);
  });

  it('lets its pages stand in no frame, and tells other sites nothing of them', async () => {
    const { headers } = await fetch(shop.url);
    expect(headers.get('content-security-policy')).to.contain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
  });

  it('sent no page a key or a secret, and gave none reason to complain', () => {
    const said = [
      ...front.sent,
      ...readdirSync(join(root, 'worker-example/public')).map((name) =>
        readFileSync(join(root, 'worker-example/public', name), 'utf8'),
      ),
    ].join('\n');
    expect(said).to.include('PAID');
    expect([shop.apiKey!, ...shop.secrets].filter((secret) => said.includes(secret))).to.deep.equal(
      [],
    );
    expect(complaints, complaints.join('; ')).to.deep.equal([]);
  });

  it('deploys from the packed package, copied to another place, without any part of Node and in a small bundle', () => {
    const place = mkdtempSync(join(tmpdir(), 'shop-'));
    try {
      copyExample(place);
      run(place, 'tsc', '-p', '.');
      run(place, 'wrangler', 'deploy', '--dry-run', '--outdir', 'dist');
      const bundle = readFileSync(join(place, 'dist/index.js'), 'utf8');
      expect(/from\s*["']node:|require\(["']/.test(bundle)).to.equal(false);
      // Of these 326,000 characters the engine of watches takes 75,000 and the relay on rows 130,000.
      expect(bundle.length).to.be.below(327_500);
      run(
        place,
        'wrangler',
        'deploy',
        '-c',
        'till/wrangler.jsonc',
        '--dry-run',
        '--outdir',
        'dist',
      );
      expect(readFileSync(join(place, 'till/dist/index.js'), 'utf8').length).to.be.below(278_500);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});

/** The example as somebody has copied it, with the package as it is published beside the packages that it asks for. */
function copyExample(place: string): void {
  for (const name of [
    'src',
    'till',
    'page',
    'build.mjs',
    'package.json',
    'tsconfig.json',
    'wrangler.jsonc',
  ])
    cpSync(join(root, 'worker-example', name), join(place, name), { recursive: true });
  const modules = join(place, 'node_modules');
  mkdirSync(modules);
  run(place, 'tar', '-xzf', pack().path);
  renameSync(join(place, 'package'), join(modules, 'paystate'));
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [
    ...new Set([...Object.keys(dependencies), 'esbuild'].map((each) => each.split('/')[0]!)),
  ])
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

function run(cwd: string, command: string, ...args: string[]): void {
  const own = join(root, 'node_modules/.bin', command);
  const { status, stdout, stderr } = spawnSync(existsSync(own) ? own : command, args, {
    cwd,
    encoding: 'utf8',
  });
  expect(status, `${command} ${args.join(' ')}: ${stdout}${stderr}`).to.equal(0);
}
