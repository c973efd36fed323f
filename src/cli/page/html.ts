/** The sandbox's page; what it shows comes with its script. */
export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>paystate sandbox</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/_page/look.css">
  <script type="module" src="/_page/cli/page/main.js"></script>
</head>
<body>
  <header>
    <h1>paystate sandbox</h1>
    <p class="hint">The whole service on this machine. Test money only.</p>
    <p id="now" class="now" aria-label="Time of the sandbox"></p>
  </header>
  <main>
    <noscript><p class="trouble">This page needs JavaScript.</p></noscript>
    <div class="controls">
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
    <div id="sections" class="sections"></div>
  </main>
</body>
</html>
`;
