// Each button says to the stage's server what the customer does.
const said = document.querySelector('#said');

for (const button of document.querySelectorAll('[data-act]'))
  button.addEventListener('click', async () => {
    said.textContent = '…';
    try {
      said.textContent = await (await fetch(`/play/${button.dataset.act}`, { method: 'POST' })).text();
    } catch {
      said.textContent = 'It does not answer any more. Start it again with npm start.';
    }
  });
