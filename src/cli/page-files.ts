import { readFileSync } from 'node:fs';
import { timelineLook } from '../devtools/look.ts';
import { tokensFor } from '../elements/look.ts';
import { pageForms, pageResources, pageRoutes } from './page-resources.ts';

/** URL prefix for this package's files that the page loads. */
const SCRIPTS = '/_page/';
const SCRIPT = /^[a-z][a-z-]*(\/[a-z][a-z-]*)*\.js$/;
/**
 * Third-party packages that the page imports. Their imports are rewritten to URLs, because browsers
 * can't resolve package names.
 */
const PACKAGE = /^packages\/(uqr)\.js$/;
const IMPORTED = /(?<=\bfrom\s*)(['"])(uqr)\1/g;

const GUARDS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Serves the sandbox's web pages and their files. Returns `undefined` for all other requests. */
export function pageAnswer({ method, url }: Request): Response | undefined {
  const { pathname } = new URL(url);
  if (method !== 'GET') return undefined;
  if (pathname === '/') return answerFile('text/html', pageHtml);
  if (pathname === '/devtools') return answerFile('text/html', devtoolsHtml);
  if (pathname === `${SCRIPTS}look.css`) return answerFile('text/css', pageLook);
  if (pathname === `${SCRIPTS}resources.json`)
    return answerFile(
      'application/json',
      JSON.stringify({ resources: pageResources, forms: pageForms, routes: pageRoutes }),
    );
  const script = pathname.startsWith(SCRIPTS) ? pathname.slice(SCRIPTS.length) : '';
  return SCRIPT.test(script) ? answerScript(script) : undefined;
}

function answerScript(path: string): Response | undefined {
  const name = PACKAGE.exec(path)?.[1];
  try {
    const address = new URL(name ? import.meta.resolve(name) : `../${path}`, import.meta.url);
    return answerFile(
      'text/javascript',
      readFileSync(address, 'utf8')
        .replace(/^\/\/# sourceMappingURL=.*$/m, '')
        .replace(
          IMPORTED,
          (_, quote, imported) => `${quote}${SCRIPTS}packages/${imported}.js${quote}`,
        ),
    );
  } catch {
    return undefined;
  }
}

function answerFile(kind: string, text: string): Response {
  return new Response(text, { headers: { 'content-type': `${kind}; charset=utf-8`, ...GUARDS } });
}

const head = (title: string, script: string): string => `<meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title}</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/_page/look.css">
  <script type="module" src="/_page/cli/page/${script}.js"></script>`;

/** The workbench's HTML. Its script fills in the content. */
const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
  ${head('paystate sandbox', 'main')}
</head>
<body class="bench">
  <header class="bar">
    <button type="button" id="menu" aria-label="Menu">☰</button>
    <h1>paystate sandbox</h1>
    <span id="live" class="live" role="img" aria-label="Connection">live</span>
    <label class="field"><span>Account</span> <select id="account"
      aria-label="Account"></select></label>
    <span id="now" class="now" role="timer" aria-live="off" aria-label="Time of the sandbox"></span>
    <div id="time" class="times" role="group" aria-label="Move time"></div>
    <button type="button" id="faults-open">Faults</button>
    <ul id="chips" class="chips" aria-label="Faults in force" hidden></ul>
    <button type="button" id="new">New …</button>
  </header>
  <nav class="rail" aria-label="Resources">
    <ul id="places"></ul>
    <p class="keys"><span id="facts" class="hint"></span><code id="key"></code><button type="button"
      id="copy-key">Copy key</button></p>
    <p><a href="/devtools">Devtools</a></p>
    <p class="hint">Keys: / search, j k move, p pay, t time.</p>
  </nav>
  <div part="split">
  <main>
    <noscript><p class="reason">This page needs JavaScript.</p></noscript>
    <section id="timeline" aria-label="Timeline">
      <div id="begin" class="begin" hidden>
        <h2>Nothing has happened yet</h2>
        <p class="hint">Send a first request. It appears here at once, with everything that follows
          from it.</p>
        <p><button type="button" id="first" class="primary">Create an invoice of 12.50</button></p>
        <ul id="ways"></ul>
      </div>
    </section>
    <section id="list" aria-labelledby="list-title" hidden>
      <div class="head"><h2 id="list-title"></h2><button type="button"
        id="list-create"></button></div>
      <ul id="items" class="items" tabindex="0" aria-labelledby="list-title"></ul>
    </section>
    <p class="foot"><span id="status" role="status"></span><span id="trouble" role="alert"
      class="reason"></span></p>
  </main>
  <aside id="inspector" hidden></aside>
  </div>
  <dialog id="drawer" class="drawer" aria-labelledby="drawer-title">
    <div class="head"><h2 id="drawer-title">Faults and assumptions</h2><button type="button"
      id="drawer-close">Close</button></div>
    <p class="hint">A fault breaks the connection between you and the service. It never changes the
      books.</p>
    <ul id="faults" class="switches"></ul>
    <section id="assumptions-part" hidden>
      <h3>Assumptions</h3>
      <ul id="assumptions" class="switches"></ul>
    </section>
  </dialog>
  <dialog id="create" class="create" aria-labelledby="create-title">
    <div class="head"><h2 id="create-title">New</h2><button type="button"
      id="create-close">Close</button></div>
    <p><label class="field"><span>What</span> <select id="create-form" autofocus></select></label>
      <code id="create-path"></code></p>
    <div id="create-fields" class="fields"></div>
    <p id="create-said" class="reason" role="alert"></p>
    <p><button type="button" id="create-send" class="primary">Create</button></p>
  </dialog>
</body>
</html>
`;

const devtoolsHtml: string = `<!doctype html>
<html lang="en">
<head>
  ${head('Devtools of the paystate sandbox', 'devtools-bundle')}
</head>
<body class="plain">
  <header class="bar">
    <h1>paystate devtools</h1>
    <nav aria-label="Pages"><a href="/">Sandbox</a> <a href="/devtools"
      aria-current="page">Devtools</a></nav>
    <span id="now" class="now" aria-label="Time of the sandbox" role="timer" aria-live="off"></span>
  </header>
  <main>
    <noscript><p class="reason">This page needs JavaScript.</p></noscript>
    <p class="hint">A client of the SDK in this page, with the key of an account.</p>
    <div class="group" role="group" aria-labelledby="client-title">
      <h2 id="client-title">Use the client</h2>
      <label class="field"><span>Account</span> <select id="account"
        aria-label="Account"></select></label>
      <button type="button" id="create">Create an invoice of 12.50</button>
      <button type="button" id="customer">Pay the newest as the customer</button>
      <button type="button" id="pay">Pay out 1,000 sat</button>
      <button type="button" id="read">Read the balances</button>
      <p class="hint">It watches the balances and the ten newest open invoices of the account, also
        those of your own programs. Its requests count towards the rate limits of this machine;
        those of your programs are in the <a href="/">workbench</a>.</p>
    </div>
    <p class="foot"><span id="status" role="status"></span><span id="trouble" role="alert"
      class="reason"></span></p>
    <paystate-devtools></paystate-devtools>
  </main>
</body>
</html>
`;

const BASE = `
:root { color-scheme: light dark; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); font: 13px/1.45 var(--sans);
  font-variant-numeric: tabular-nums;
}
p, h1, h2, h3, ul, ol, dl, dd { margin: 0; padding: 0; list-style: none; }
h1 { font-size: 14px; font-weight: 650; white-space: nowrap; }
h2 { font-size: 16px; font-weight: 650; overflow-wrap: anywhere; }
h3 { margin-bottom: 4px; font-size: 13px; font-weight: 650; }
a { color: var(--accent); }
code, pre, time { font: 12px/1.5 var(--mono); }
pre {
  margin: 4px 0 0; padding: 12px; overflow: auto; border: 1px solid var(--line);
  border-radius: var(--radius); background: var(--page); white-space: pre-wrap;
  overflow-wrap: anywhere;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button, select, input {
  min-height: 28px; padding: 0 10px; border: 1px solid var(--control); border-radius: var(--radius);
  background: var(--surface); color: var(--ink); font: 500 13px/1.25 var(--sans);
}
button { cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--ink); }
.primary {
  min-height: 32px; padding: 0 16px; border-color: var(--accent); background: var(--accent);
  color: var(--on-accent);
}
.hint { color: var(--muted); }
.reason { color: var(--danger); }
.field { display: inline-flex; gap: 8px; align-items: center; color: var(--muted); }
.head { display: flex; gap: 12px; align-items: center; justify-content: space-between; }
.foot { display: flex; gap: 12px; min-height: 20px; }
#trouble:empty { display: none; }
`;

const FRAME = `
.bench {
  display: grid; grid-template: auto minmax(0, 1fr) / 200px minmax(0, 1fr); height: 100vh;
  height: 100dvh; overflow: hidden;
}
.bar {
  grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center;
  padding: 8px 16px; border-bottom: 1px solid var(--line); background: var(--surface);
}
.bar nav { display: flex; gap: 12px; }
.live { display: inline-flex; gap: 6px; align-items: center; color: var(--success); }
.live::before {
  content: ""; width: 8px; height: 8px; border-radius: 50%; background: currentcolor;
}
.live.away { color: var(--danger); }
.now { font: 12px/1.5 var(--mono); white-space: nowrap; }
.times { display: flex; gap: 4px; }
.times button { padding: 0 8px; }
.chips { display: flex; flex-basis: 100%; order: 1; gap: 4px; min-width: 0; overflow: auto hidden; }
.chips li { flex: none; max-width: min(100%, 280px); }
.chips button::after { content: " ×" / ""; }
.chips button {
  max-width: 100%; overflow: hidden; border-color: var(--warning); border-radius: 14px;
  background: var(--warning-tint); color: var(--warning); text-overflow: ellipsis;
}
#menu { display: none; }
.rail {
  display: flex; flex-direction: column; gap: 12px; padding: 12px 4px; overflow: auto;
  border-right: 1px solid var(--line); background: var(--surface);
}
.rail > p { padding: 0 8px; }
.rail #places button {
  display: flex; align-items: center; width: 100%; gap: 8px; justify-content: space-between;
  padding: 0 8px; border: 0; background: none; font-weight: 400; text-align: start;
}
.rail button:hover { background: var(--page); }
.rail #places [aria-current] { background: var(--tint); font-weight: 500; }
.count { color: var(--muted); }
.count:empty { display: none; }
.keys { display: grid; overflow-wrap: anywhere; gap: 4px; justify-items: start; margin-top: auto; }
.keys code { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.rail a { display: inline-block; padding-block: 4px; }
main { display: flex; flex: 1; flex-direction: column; min-width: 0; min-height: 0; }
.bench main > section {
  position: relative; display: flex; flex: 1; flex-direction: column; min-height: 0;
}
.bench .foot {
  padding: 4px 16px; border-top: 1px solid var(--line); background: var(--surface);
  color: var(--muted);
}
`;

const LISTS = `
.begin { width: min(100%, 640px); margin: 0 auto; padding: 32px 16px; overflow: auto; }
.begin > * + * { margin-top: 12px; }
.begin li + li { margin-top: 16px; }
.way { display: flex; align-items: center; justify-content: space-between; }
#list { container: log / inline-size; }
#list > .head {
  min-height: 44px; padding: 4px 16px; border-bottom: 1px solid var(--line);
  background: var(--surface);
}
.items { min-height: 0; overflow: auto; background: var(--surface); }
.items li { border-bottom: 1px solid var(--line); }
.items [aria-current] { background: var(--tint); box-shadow: inset 2px 0 var(--accent); }
.items .line { display: flex; gap: 12px; align-items: center; min-height: 36px; padding: 0 16px; }
.items .key { overflow: hidden; text-overflow: ellipsis; }
.items .use { padding: 4px 16px; }
`;

const REST = `
.amount { font-size: 20px; font-weight: 500; }
.amount:empty, .links:empty, .actions:empty { display: none; }
.actions, .copies, .links { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.uses li + li { margin-top: 8px; }
svg {
  display: block; width: min(100%, 240px); margin: 8px 0; padding: 12px;
  border-radius: var(--radius); background: #fff; shape-rendering: crispEdges;
}
dialog {
  width: min(100%, 480px); max-height: 100dvh; padding: 24px; border: 1px solid var(--line);
  border-radius: var(--radius-panel); background: var(--raised); color: var(--ink);
  box-shadow: 0 8px 32px rgb(0 0 0 / 30%);
}
dialog::backdrop { background: rgb(0 0 0 / 30%); }
dialog > * + * { margin-top: 16px; }
.drawer { height: 100dvh; margin: 0 0 0 auto; border-radius: 0; }
.switches li { padding: 8px 0; border-bottom: 1px solid var(--line); }
.switches button {
  display: flex; gap: 8px; align-items: center; width: 100%; max-width: 100%; padding: 0; border: 0;
  background: none; text-align: start; white-space: normal; overflow-wrap: anywhere;
}
.switches button::before {
  content: ""; flex: none; width: 28px; height: 16px; border: 1px solid var(--control);
  border-radius: 8px;
  background: radial-gradient(circle at 8px 50%, var(--control) 5px, transparent 5.5px);
}
.switches [aria-checked="true"]::before {
  border-color: var(--accent);
  background: radial-gradient(circle at 18px 50%, var(--on-accent) 5px, var(--accent) 5.5px);
}
.switches .hint { padding-left: 36px; }
.switches label { display: flex; gap: 8px; align-items: center; justify-content: space-between; }
.fields { display: grid; gap: 8px; }
.fields label {
  display: grid; grid-template-columns: 160px minmax(0, 1fr); gap: 2px 12px; align-items: center;
  overflow-wrap: anywhere;
}
.fields em { color: var(--muted); font-style: normal; }
.fields input { width: 100%; font-weight: 400; }
.fields input[type="checkbox"] { width: 16px; min-height: 16px; }
.fields .reason { grid-column: 2; }
.plain main { max-width: 1200px; margin: 0 auto; padding: 16px; }
.plain main > * + * { margin-top: 12px; }
.plain .now { margin-left: auto; }
.group {
  display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 16px;
  border: 1px solid var(--line); border-radius: var(--radius-panel); background: var(--surface);
}
.group h2, .group p { width: 100%; }
paystate-devtools {
  --paystate-ink: var(--ink); --paystate-card: var(--surface); --paystate-accent: var(--accent);
  --paystate-good: var(--success); --paystate-wait: var(--warning); --paystate-bad: var(--danger);
  --paystate-radius: var(--radius-panel); --paystate-font: 13px/1.45 var(--sans);
}
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: in 150ms ease-out; }
  @keyframes in { from { translate: 8px 0; } }
}
@media (max-width: 719px) {
  .bench { grid-template-columns: minmax(0, 1fr); }
  .bar { gap: 8px; padding: 8px; }
  #menu { display: block; }
  .rail {
    position: fixed; z-index: 3; inset: 0 auto 0 0; width: 240px;
    box-shadow: 0 0 32px rgb(0 0 0 / 30%);
  }
  .bench:not(.menu) .rail { display: none; }
  .bar .field span { display: none; }
  .items .line { gap: 8px; padding: 0 8px; }
  .fields label { grid-template-columns: minmax(0, 1fr); }
  .fields .reason { grid-column: 1; }
}
`;

/**
 * Stylesheet for the sandbox's web pages. It uses one accent color, lines for structure, and
 * shadows only for floating elements.
 */
const pageLook: string = [tokensFor(':root'), BASE, FRAME, LISTS, timelineLook, REST].join('\n');
