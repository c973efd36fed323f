// What the projects of `npm run frameworks` are made of, what each is asked, and what it has to answer.
const next = {
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
  async ask(url) {
    const known = await fetch(`${url}/orders/order-1`);
    const none = await fetch(`${url}/orders/order-2`);
    return [known.status, await known.json(), none.status];
  },
  expected: [200, { state: 'UNPAID' }, 404],
};

const sveltekit = {
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
  ask: async (url, { deliver, secret }) => [
    await deliver(`${url}/hooks`, secret),
    await deliver(`${url}/hooks`, 'another secret of someone'),
  ],
  expected: [200, 401],
};

export const FRAMEWORKS = { next, sveltekit };
