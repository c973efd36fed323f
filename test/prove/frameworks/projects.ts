// The projects of `npm run prove -- frameworks`: their files, what each is asked, and what it has
// to respond.
import { stopped, story, type World } from './relay-story.ts';

export interface Framework {
  readonly packages: Readonly<Record<string, string>>;
  readonly scripts: { readonly build: string };
  /** A file of the cookbook, and where the project has it. */
  readonly recipe: string;
  readonly at: string;
  /** The texts of the other files, by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** The program that serves the built project, with its arguments. */
  server(port: number): readonly string[];
  /** Resolves to what the project responds, for comparison with `expected`. */
  ask(url: string, world: World): Promise<readonly unknown[]>;
  readonly expected: readonly unknown[];
}

/** The shop that both mount: the relay on SQLite, made at the first request of a process. */
const SHOP = `import { DatabaseSync } from 'node:sqlite';
import { createClient } from 'paystate';
import { createHostedRelay, forwardedAddress } from 'paystate/host';
import { sqliteDriver } from 'paystate/stores';
const make = () => {
  const { SERVICE, API_KEY, SECRET, TOKEN_SECRET, PAGES } = process.env;
  const relay = createHostedRelay({
    driver: sqliteDriver(new DatabaseSync('shop.sqlite')),
    origin: PAGES,
    tokenSecret: TOKEN_SECRET,
    account: (name) =>
      name === 'main'
        ? {
            client: createClient({ baseUrl: SERVICE, apiKey: API_KEY }),
            secrets: SECRET,
            on: { orderPaid: ({ orderId }) => console.log('shipped ' + orderId) },
          }
        : undefined,
  });
  process.once('SIGTERM', async () => {
    await relay.close();
    console.log('closed');
    process.exit();
  });
  return relay;
};
// both bundle the routes one by one: one relay for all of them
const relayOf = () => (globalThis.shopRelay ??= make());
export const respond = async (request, from = { address: forwardedAddress(request, 1) }) => {
  const relay = relayOf();
  const { pathname } = new URL(request.url);
  if (pathname === '/deliveries') return relay.handleWebhook('main', request);
  if (pathname.startsWith('/pay/')) return relay.handle(request, from);
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };
  return Response.json(await relay.createOrder('main', draft), { status: 201 });
};
`;
const nextRoute = (
  depth: number,
): string => `import { respond } from '${'../'.repeat(depth)}shop.js';
export const dynamic = 'force-dynamic';
export const GET = (request) => respond(request);
export const POST = GET;
export const OPTIONS = GET;
`;
const svelteRoute = `import { respond } from '$lib/shop.js';
export const fallback = (event) => respond(event.request, { address: event.getClientAddress() });
`;

const next: Framework = {
  packages: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
  scripts: { build: 'next build' },
  recipe: 'next.ts',
  at: 'state-of.ts',
  files: {
    'next.config.mjs':
      'export default { outputFileTracingRoot: import.meta.dirname, typescript: { ignoreBuildErrors: true } };\n',
    'app/layout.js':
      "import { createElement as h } from 'react';\nexport default ({ children }) => h('html', { lang: 'en' }, h('body', null, children));\n",
    'app/page.js': "export default () => 'A shop';\n",
    'shop.js': SHOP,
    'app/pay/[...path]/route.js': nextRoute(3),
    'app/deliveries/route.js': nextRoute(2),
    'app/sell/route.js': nextRoute(2),
    'app/orders/[id]/route.js': `import { createClient } from 'paystate';
import { stateOf } from '../../../state-of.ts';
const { SERVICE: baseUrl, API_KEY: apiKey } = process.env;
export const dynamic = 'force-dynamic';
export const GET = (request, context) => stateOf(createClient({ baseUrl, apiKey }))(request, context);
`,
  },
  server: (port) => [
    'node_modules/next/dist/bin/next',
    'start',
    '-H',
    '127.0.0.1',
    '-p',
    `${port}`,
  ],
  async ask(url, world) {
    const known = await fetch(`${url}/orders/order-1`);
    const none = await fetch(`${url}/orders/order-2`);
    return [known.status, await known.json(), none.status, await story(url, world)];
  },
  expected: [200, { state: 'UNPAID' }, 404, stopped],
};

const sveltekit: Framework = {
  packages: {
    '@sveltejs/adapter-node': '5.5.7',
    '@sveltejs/kit': '2.70.4',
    '@sveltejs/vite-plugin-svelte': '7.3.1',
    svelte: '5.57.3',
    vite: '8.3.8',
  },
  scripts: { build: 'vite build' },
  recipe: 'sveltekit.ts',
  at: 'src/lib/webhooks.ts',
  files: {
    'vite.config.js':
      "import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n",
    'svelte.config.js':
      "import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };\n",
    'src/app.html':
      '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
    'src/lib/shop.js': SHOP,
    'src/routes/pay/[...path]/+server.js': svelteRoute,
    'src/routes/deliveries/+server.js': svelteRoute,
    'src/routes/sell/+server.js': svelteRoute,
    'src/routes/+page.svelte': '<h1>A shop</h1>\n',
    'src/routes/hooks/+server.ts': `import { env } from '$env/dynamic/private';
import { createClient } from 'paystate';
import { memoryInboxStore } from 'paystate/stores';
import { createInbox } from 'paystate/webhooks';
import { webhooks } from '$lib/webhooks.ts';
const open = () => {
  const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
  const store = memoryInboxStore({ mayForget: true });
  return createInbox({ client, secrets: env.SECRET, store, on: {} });
};
let inbox;
export const POST = (event) => webhooks((inbox ??= open()))(event);
`,
  },
  server: () => ['build/index.js'],
  ask: async (url, world) => [
    await world.deliver(`${url}/hooks`, world.secret),
    await world.deliver(`${url}/hooks`, 'another secret of someone'),
    await story(url, world),
  ],
  expected: [200, 401, stopped],
};

export const FRAMEWORKS: Readonly<Record<string, Framework>> = { next, sveltekit };
