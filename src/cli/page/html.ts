/** What differs between the pages of the sandbox. */
interface Frame {
  readonly title: string;
  readonly script: string;
  readonly path: '/' | '/devtools';
  readonly hint: string;
  readonly main: string;
}

const PLACES: readonly (readonly [string, string])[] = [
  ['/', 'Sandbox'],
  ['/devtools', 'Devtools'],
];

/** A page with the head and the links that all have; what it shows comes with its script. */
const pageOf = ({ title, script, path, hint, main }: Frame): string => `<!doctype html>
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
${main}
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
  main: `    <div class="controls">
      <div class="group" role="group" aria-labelledby="connect-title">
        <h2 id="connect-title">Connect</h2>
        <p class="text"><span class="label">Base address</span> <code id="base"></code></p>
        <button type="button" id="copy-base">Copy address</button>
        <p class="text"><span class="label">API key</span> <code id="key"></code></p>
        <button type="button" id="copy-key">Copy key</button>
        <button type="button" id="new-key">Make a key</button>
        <label class="text"><span class="label">Account</span> <select id="account"></select></label>
        <p class="text hint" id="facts"></p>
        <p class="text first"><button type="button" id="first">Create an invoice of 12.50</button> <span class="hint">or send your own with the address and the key.</span></p>
      </div>
      <div class="group" role="group" aria-labelledby="time-title" id="time">
        <h2 id="time-title">Move time</h2>
      </div>
      <div class="group" role="group" aria-labelledby="faults-title">
        <h2 id="faults-title">What goes wrong</h2>
        <ul id="faults" class="faults"></ul>
      </div>
      <p id="status" role="status" class="note"></p>
      <p id="trouble" role="alert" class="trouble"></p>
    </div>
    <div id="sections" class="sections"></div>`,
});

/** The page with a client of its own, and the devtools that look at it. */
export const devtoolsHtml: string = pageOf({
  title: 'Devtools of the paystate sandbox',
  script: 'devtools-bundle',
  path: '/devtools',
  hint: 'A client of the SDK in this page, with the key of an account.',
  main: `    <div class="controls alone">
      <div class="group" role="group" aria-labelledby="client-title">
        <h2 id="client-title">Let the client work</h2>
        <label class="text"><span class="label">Account</span> <select id="account"></select></label>
        <button type="button" id="create">Create an invoice of 12.50</button>
        <button type="button" id="customer">Pay the newest as its customer</button>
        <button type="button" id="pay">Pay 1,000 sat out</button>
        <button type="button" id="read">Read the balances</button>
        <p class="text hint">It watches the balances and the ten newest open invoices of the account, also those of your own programs. Its requests count towards the rate limits of this machine; those of your programs are on the page of the <a href="/">sandbox</a>.</p>
      </div>
      <p id="status" role="status" class="note"></p>
      <p id="trouble" role="alert" class="trouble"></p>
    </div>
    <paystate-devtools></paystate-devtools>`,
});
