// Shows the wallet and the timeline from the stage's server. Each button sends an act of the
// customer.
import type { Scene, Step } from './story.ts';

const find = <E extends HTMLElement = HTMLElement>(selector: string): E =>
  document.querySelector<E>(selector)!;

const workbench = find<HTMLAnchorElement>('nav a[href]:nth-child(2)').href;
const wallet = find('.wallet');
const said = find('#said');
const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-act]')];

const ASKS: Readonly<Partial<Record<Scene['state'], string>>> = {
  none: 'Nothing to pay yet',
  open: 'The Quiet Kettle asks for',
  pending: 'On its way',
  paid: 'Paid',
  refundable: 'Paid',
  refunding: 'Your money is on its way back',
};
const ACTS: Readonly<Partial<Record<Scene['state'], readonly string[]>>> = {
  open: ['pay', 'slowly', 'fail'],
  refundable: ['refund'],
};
const STOPPED = 'The stage has stopped. Start it again with npm start.';

const say = (selector: string, text = ''): void => {
  wallet.querySelector(selector)!.textContent = text;
};

const part = (name: string, className: string, text: string): HTMLElement =>
  Object.assign(document.createElement(name), { className, textContent: text });

/** The order in the wallet. Another order removes the last message. */
let shown: string | undefined;

function showWallet({ state, orderId, price, what, steps }: Scene): void {
  wallet.dataset['state'] = state;
  if (shown !== orderId) said.textContent = '';
  shown = orderId;
  say('.asks', ASKS[state] ?? steps.at(-1)?.name);
  say('.price', price);
  say('.what', what);
  say('[data-act=pay]', price ? `Pay ${price}` : 'Pay');
  for (const button of buttons) button.hidden = !ACTS[state]?.includes(button.dataset['act'] ?? '');
}

/** Returns one step, with a link if the workbench has a page for it. */
function stepOf({ name, at, after, place, isBad }: Step): HTMLElement {
  const item = part('li', at === undefined ? 'ahead' : isBad ? 'bad' : 'done', '');
  const title = part(place ? 'a' : 'span', 'name', name);
  if (place) Object.assign(title, { href: workbench + place, target: '_blank', rel: 'noopener' });
  const time = at === undefined ? '' : new Date(at).toLocaleTimeString('en-GB');
  const when = part('span', 'time', '');
  when.append(part('bdi', '', after ? `+${after}` : time));
  item.append(title, when);
  return item;
}

const showSteps = ({ steps }: Scene): void => find('#steps').replaceChildren(...steps.map(stepOf));

for (const button of buttons)
  button.addEventListener('click', async () => {
    said.textContent = '…';
    try {
      const answer = await fetch(`/play/${button.dataset['act']}`, { method: 'POST' });
      said.textContent = await answer.text();
    } catch {
      said.textContent = STOPPED;
    }
  });

const story = new EventSource('/story');
story.addEventListener('message', ({ data }) => {
  const scene = JSON.parse(data as string) as Scene;
  showWallet(scene);
  showSteps(scene);
});
story.addEventListener('error', () => {
  said.textContent = STOPPED;
});
story.addEventListener('open', () => {
  if (said.textContent === STOPPED) said.textContent = '';
});
