/** What differs between the pages of the sandbox. */
interface Frame {
  readonly title: string;
  readonly script: string;
  readonly path: '/' | '/devtools';
  readonly hint: string;
  /** Above everything else; `alone`: there is one group of them. */
  readonly controls: string;
  readonly alone?: true;
  /** What stands below them. */
  readonly rest: string;
}

const PLACES: readonly (readonly [string, string])[] = [
  ['/', 'Sandbox'],
  ['/devtools', 'Devtools'],
];

const ACCOUNT =
  '<label class="text"><span class="label">Account</span> <select id="account"></select></label>';

/** A group of controls below a title; `id` begins the title's own. */
const groupOf = (id: string, title: string, lines: readonly string[], more = ''): string =>
  [
    `      <div class="group" role="group" aria-labelledby="${id}-title"${more}>`,
    `        <h2 id="${id}-title">${title}</h2>`,
    ...lines.map((line) => `        ${line}`),
    '      </div>',
  ].join('\n');

/** A page with the head and the links that all have; what it shows comes with its script. */
const pageOf = ({
  title,
  script,
  path,
  hint,
  controls,
  alone,
  rest,
}: Frame): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title}</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/_page/look.css">
  <script type="module" src="/_page/cli/page/${script}.js"></script>
</head>
<body>
  <header>
    <h1>paystate sandbox</h1>
    <nav aria-label="Pages">${PLACES.map(([place, name]) => `<a href="${place}"${place === path ? ' aria-current="page"' : ''}>${name}</a>`).join(' ')}</nav>
    <p class="hint">${hint}</p>
    <p id="now" class="now" aria-label="Time of the sandbox"></p>
  </header>
  <main>
    <noscript><p class="trouble">This page needs JavaScript.</p></noscript>
    <div class="controls${alone ? ' alone' : ''}">
${controls}
      <p id="status" role="status" class="note"></p>
      <p id="trouble" role="alert" class="trouble"></p>
    </div>
    ${rest}
  </main>
</body>
</html>
`;

/** The sandbox's page. */
export const pageHtml: string = pageOf({
  title: 'paystate sandbox',
  script: 'main',
  path: '/',
  hint: 'The whole service on this machine. Test money only.',
  controls: [
    groupOf('connect', 'Connect', [
      '<p class="text"><span class="label">Base address</span> <code id="base"></code></p>',
      '<button type="button" id="copy-base">Copy address</button>',
      '<p class="text"><span class="label">API key</span> <code id="key"></code></p>',
      '<button type="button" id="copy-key">Copy key</button>',
      '<button type="button" id="new-key">Make a key</button>',
      ACCOUNT,
      '<p class="text hint" id="facts"></p>',
      '<p class="text first"><button type="button" id="first">Create an invoice of 12.50</button> <span class="hint">or send your own with the address and the key.</span></p>',
    ]),
    groupOf('time', 'Move time', [], ' id="time"'),
    groupOf('faults', 'What goes wrong', ['<ul id="faults" class="faults"></ul>']),
  ].join('\n'),
  rest: '<div id="sections" class="sections"></div>',
});

/** The page with a client of its own, and the devtools that look at it. */
export const devtoolsHtml: string = pageOf({
  title: 'Devtools of the paystate sandbox',
  script: 'devtools-bundle',
  path: '/devtools',
  hint: 'A client of the SDK in this page, with the key of an account.',
  controls: groupOf('client', 'Let the client work', [
    ACCOUNT,
    '<button type="button" id="create">Create an invoice of 12.50</button>',
    '<button type="button" id="customer">Pay the newest as its customer</button>',
    '<button type="button" id="pay">Pay 1,000 sat out</button>',
    '<button type="button" id="read">Read the balances</button>',
    '<p class="text hint">It watches the balances and the ten newest open invoices of the account, also those of your own programs. Its requests count towards the rate limits of this machine; those of your programs are on the page of the <a href="/">sandbox</a>.</p>',
  ]),
  alone: true,
  rest: '<paystate-devtools></paystate-devtools>',
});
