// The wallet and the line of time show what the stage's server tells; each button says to it what the customer does.
const workbench = document.querySelector('nav a[href]:nth-child(2)').href;
const wallet = document.querySelector('.wallet');
const said = document.querySelector('#said');
const buttons = [...document.querySelectorAll('[data-act]')];

const ASKS = {
  none: 'Nothing to pay yet. Choose something in the shop and press “Pay with Lightning”.',
  open: 'The Quiet Kettle asks for',
  pending: 'On its way',
  paid: 'Paid',
  refundable: 'Paid',
  refunding: 'Your money is on its way back',
};
const ACTS = { open: ['pay', 'slowly', 'fail'], refundable: ['refund'] };

const say = (selector, text = '') => {
  wallet.querySelector(selector).textContent = text;
};

const part = (name, className, text) =>
  Object.assign(document.createElement(name), { className, textContent: text });

/** The order that the wallet shows; what was said of another one is gone. */
let shown;

function showWallet({ state, orderId, price, what, steps }) {
  wallet.dataset.state = state;
  if (shown !== orderId) said.textContent = '';
  shown = orderId;
  say('.asks', ASKS[state] ?? steps.at(-1).name);
  say('.price', price);
  say('.what', what);
  say('[data-act=pay]', price ? `Pay ${price}` : 'Pay');
  for (const button of buttons) button.hidden = !ACTS[state]?.includes(button.dataset.act);
}

/** One step: a link into the workbench where it has a place there. */
function stepOf({ name, at, after, place, isBad }) {
  const item = part('li', at === undefined ? 'ahead' : isBad ? 'bad' : 'done', '');
  const title = part(place ? 'a' : 'span', 'name', name);
  if (place) Object.assign(title, { href: workbench + place, target: '_blank', rel: 'noopener' });
  const time = at === undefined ? '' : new Date(at).toLocaleTimeString('en-GB');
  const when = part('span', 'time', '');
  when.append(part('bdi', '', after ? `+${after}` : time));
  item.append(title, when);
  return item;
}

function showSteps({ steps }) {
  const list = document.querySelector('#steps');
  list.replaceChildren(...steps.map(stepOf));
  list.scrollLeft = list.scrollWidth;
}

for (const button of buttons)
  button.addEventListener('click', async () => {
    said.textContent = '…';
    try {
      const answer = await fetch(`/play/${button.dataset.act}`, { method: 'POST' });
      said.textContent = await answer.text();
    } catch {
      said.textContent = 'The stage has stopped. Start it again with npm start.';
    }
  });

const story = new EventSource('/story');
story.addEventListener('message', ({ data }) => {
  const scene = JSON.parse(data);
  showWallet(scene);
  showSteps(scene);
});
story.addEventListener('error', () => {
  said.textContent = 'The stage has stopped. Start it again with npm start.';
});
story.addEventListener('open', () => {
  if (said.textContent.startsWith('The stage')) said.textContent = '';
});
