// Each button says to the stage's server what the customer does; the log of the Worker is shown as it comes.
const said = document.querySelector('#said');
const log = document.querySelector('#log');
const PACE = 1_000;

const textOf = async (path, method = 'GET') => (await fetch(path, { method })).text();

for (const button of document.querySelectorAll('[data-act]'))
  button.addEventListener('click', async () => {
    said.textContent = '…';
    try {
      said.textContent = await textOf(`/play/${button.dataset.act}`, 'POST');
    } catch {
      said.textContent = 'It does not answer any more. Start it again with npm start.';
    }
  });

/** The newest line is in sight, unless somebody has scrolled up to read. */
const show = (text) => {
  if (log.textContent === text) return;
  const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
  log.textContent = text;
  if (isAtEnd) log.scrollTop = log.scrollHeight;
};

for (;;) {
  if (document.visibilityState === 'visible') await textOf('/log?newest').then(show, () => {});
  await new Promise((resolve) => setTimeout(resolve, PACE));
}
