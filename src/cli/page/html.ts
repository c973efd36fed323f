const ACCOUNT =
  '<label class="field"><span>Account</span> <select id="account" aria-label="Account"></select></label>';

/** A group of controls below a title; `id` begins the title's own. */
const groupOf = (id: string, title: string, lines: readonly string[], more = ''): string =>
  [
    `      <div class="group" role="group" aria-labelledby="${id}-title"${more}>`,
    `        <h2 id="${id}-title">${title}</h2>`,
    ...lines.map((line) => `        ${line}`),
    '      </div>',
  ].join('\n');

const headOf = (title: string, script: string): string =>
  [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="/_page/look.css">',
    `<script type="module" src="/_page/cli/page/${script}.js"></script>`,
  ]
    .map((line) => `  ${line}`)
    .join('\n');

/** The workbench: bar, rail, timeline, inspector; what they show comes with its script. */
export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
${headOf('paystate sandbox', 'main')}
</head>
<body class="bench">
  <header class="bar">
    <button type="button" id="menu" aria-label="Menu">☰</button>
    <h1>paystate sandbox</h1>
    <span id="live" class="live" role="img" aria-label="Connection">live</span>
    <label class="field"><span>Account</span> <select id="account" aria-label="Account"></select></label>
    <span id="now" class="now" role="timer" aria-live="off" aria-label="Time of the sandbox"></span>
    <div id="time" class="times" role="group" aria-label="Move time"></div>
    <button type="button" id="faults-open">Faults</button>
    <ul id="chips" class="chips" aria-label="Faults in force" hidden></ul>
    <button type="button" id="new">New …</button>
    <input id="search" type="search" placeholder="Search  /" aria-label="Search the timeline" autocomplete="off">
  </header>
  <nav class="rail" aria-label="Resources">
    <ul id="places"></ul>
    <p class="keys"><span id="facts" class="hint"></span><code id="key"></code><button type="button" id="copy-key">Copy key</button></p>
    <p><a href="/devtools">Devtools</a></p>
    <p class="hint">Keys: / search, j k move, p pay, t time.</p>
  </nav>
  <main>
    <noscript><p class="reason">This page needs JavaScript.</p></noscript>
    <section id="timeline" aria-label="Timeline">
      <div id="kinds" class="kinds" role="group" aria-label="Filter"></div>
      <div id="rows" role="listbox" tabindex="0" aria-label="Timeline" hidden><div id="space" role="presentation"></div></div>
      <p id="none" class="hint" hidden>Nothing matches.</p>
      <button type="button" id="more" hidden></button>
      <div id="begin" class="begin" hidden>
        <h2>Nothing has happened yet</h2>
        <p class="hint">Send a first request. It appears here at once, with everything that follows from it.</p>
        <p><button type="button" id="first" class="primary">Create an invoice of 12.50</button></p>
        <ul id="ways"></ul>
      </div>
    </section>
    <section id="list" aria-labelledby="list-title" hidden>
      <div class="head"><h2 id="list-title"></h2><button type="button" id="list-create"></button></div>
      <ul id="items" class="items" tabindex="0" aria-labelledby="list-title"></ul>
      <p id="list-empty" class="hint"></p>
    </section>
    <p class="foot"><span id="status" role="status"></span><span id="trouble" role="alert" class="reason"></span></p>
  </main>
  <aside id="inspector" aria-label="Inspector" tabindex="0"></aside>
  <dialog id="drawer" class="drawer" aria-labelledby="drawer-title">
    <div class="head"><h2 id="drawer-title">Faults and assumptions</h2><button type="button" id="drawer-close">Close</button></div>
    <p class="hint">A fault breaks the way between you and the service. It never harms the books.</p>
    <ul id="faults" class="switches"></ul>
    <section id="assumptions-part" hidden>
      <h3>Assumptions</h3>
      <ul id="assumptions" class="switches"></ul>
    </section>
  </dialog>
  <dialog id="create" class="create" aria-labelledby="create-title">
    <div class="head"><h2 id="create-title">New</h2><button type="button" id="create-close">Close</button></div>
    <p><label class="field"><span>What</span> <select id="create-form"></select></label> <code id="create-path"></code></p>
    <div id="create-fields" class="fields"></div>
    <p id="create-said" class="reason" role="alert"></p>
    <p><button type="button" id="create-send" class="primary">Create</button></p>
  </dialog>
</body>
</html>
`;

/** The page with a client of its own, and the devtools that look at it. */
export const devtoolsHtml: string = `<!doctype html>
<html lang="en">
<head>
${headOf('Devtools of the paystate sandbox', 'devtools-bundle')}
</head>
<body class="plain">
  <header class="bar">
    <h1>paystate devtools</h1>
    <nav aria-label="Pages"><a href="/">Sandbox</a> <a href="/devtools" aria-current="page">Devtools</a></nav>
    <span id="now" class="now" aria-label="Time of the sandbox" role="timer" aria-live="off"></span>
  </header>
  <main>
    <noscript><p class="reason">This page needs JavaScript.</p></noscript>
    <p class="hint">A client of the SDK in this page, with the key of an account.</p>
${groupOf('client', 'Let the client work', [
  ACCOUNT,
  '<button type="button" id="create">Create an invoice of 12.50</button>',
  '<button type="button" id="customer">Pay the newest as its customer</button>',
  '<button type="button" id="pay">Pay 1,000 sat out</button>',
  '<button type="button" id="read">Read the balances</button>',
  '<p class="hint">It watches the balances and the ten newest open invoices of the account, also those of your own programs. Its requests count towards the rate limits of this machine; those of your programs are in the <a href="/">workbench</a>.</p>',
])}
    <p class="foot"><span id="status" role="status"></span><span id="trouble" role="alert" class="reason"></span></p>
    <paystate-devtools></paystate-devtools>
  </main>
</body>
</html>
`;
