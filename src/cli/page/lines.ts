import type { Said } from './ask.ts';
import { buttonOf, type Line, make } from './dom.ts';
import { qrPath } from '../../elements/qr-path.ts';
import {
  type PageAction,
  actionsOf,
  type PageResource,
  payCodeOf,
  type Scene,
  textOf,
} from './resources.ts';

export type Act = (label: string, run: () => Promise<unknown>) => void;

/** All items of a resource, each with what can be done to it. */
export function resourceLines(resource: PageResource, scene: Scene, act: Act): readonly Line[] {
  const items = (scene.world[resource.name] ?? []) as readonly Said[];
  return items.map((item) => {
    const id = textOf(item[resource.id]);
    const actions = actionsOf(resource, item, scene);
    const code = payCodeOf(resource, item, scene);
    const mark = JSON.stringify([item, code, actions.map(({ label }) => label)]);
    return { key: id, mark, make: () => itemLine(resource, { id, item, code }, actions, act) };
  });
}

function itemLine(
  { one, title }: PageResource,
  { id, item, code }: { readonly id: string; readonly item: Said; readonly code: string },
  actions: readonly PageAction[],
  act: Act,
): HTMLElement {
  const state = textOf(item['state']);
  return make(
    'li',
    { 'aria-label': `${one} ${id}` },
    make(
      'p',
      { class: 'what' },
      make('strong', {}, amountOf(item)),
      ...(state ? [' ', stateOf(state)] : []),
    ),
    make('p', { class: 'hint' }, `${one} id `, make('code', {}, id), ` ${moreOf(item)}`),
    ...codeOf(code),
    make(
      'p',
      { class: 'actions' },
      ...actions.map(({ label, run }) =>
        buttonOf(label, `${label}: ${one} ${id}`, () => act(`${title}, ${label}`, run)),
      ),
    ),
  );
}

/** What a wallet scans, to unfold. */
function codeOf(code: string): readonly HTMLElement[] {
  if (code === '') return [];
  const { size, path } = qrPath(code.toUpperCase());
  const picture = makePicture(size, path);
  return [
    make('details', {}, make('summary', {}, 'Payment code'), picture, make('code', {}, code)),
  ];
}

function makePicture(size: number, path: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  const modules = document.createElementNS(space, 'path');
  picture.setAttribute('viewBox', `0 0 ${size} ${size}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', 'QR code of the payment code');
  modules.setAttribute('d', path);
  picture.append(modules);
  return picture;
}

function stateOf(state: string): HTMLElement {
  return make('span', { class: 'state', 'data-state': state }, state);
}

/** The amounts of an item, in whatever form its resource has them. */
function amountOf(item: Said): string {
  const { amount, totalAmount, amountReceived, source, target } = item;
  if (source && target) return `${moneyOf(source)} → ${moneyOf(target)}`;
  const money =
    amount ??
    totalAmount ??
    amountReceived ??
    (item['bolt11'] as Said | undefined)?.['requestedAmount'];
  return money
    ? moneyOf(money)
    : textOf(item['webhookUrl']) ||
        textOf(item['bankName']) ||
        textOf((item['details'] as Said | undefined)?.['name']);
}

function moneyOf(money: unknown): string {
  const { amount, currency } = money as Said;
  return `${inGroups(textOf(amount))} ${textOf(currency)}`;
}

/** Digits before the point in groups of three. */
function inGroups(amount: string): string {
  const [whole = '', ...rest] = amount.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

function moreOf({ created, description, correlationId, reference }: Said): string {
  return [
    timeOf(Date.parse(textOf(created))),
    textOf(description),
    textOf(correlationId) && `correlation id ${textOf(correlationId)}`,
    textOf(reference) && `reference ${textOf(reference)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Time of day with its date, UTC. */
export function timeOf(at: number): string {
  return Number.isNaN(at) ? '' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function eventLines(events: readonly Said[]): readonly Line[] {
  return events.map((event) => {
    const { entityId, changes } = event['data'] as Said;
    const [id, type, text] = [
      textOf(event['id']),
      textOf(event['eventType']),
      changes ? ` (${String(changes)})` : '',
    ];
    return {
      key: id,
      mark: JSON.stringify(event),
      make: () =>
        plainLine(
          type,
          `of ${textOf(entityId)}${text}`,
          timeOf(Date.parse(textOf(event['created']))),
        ),
    };
  });
}

export function deliveryLines(deliveries: readonly Said[]): readonly Line[] {
  return deliveries.map((one) => {
    const { number, at, eventType, attempt, url, outcome, status, fault, retryAt } =
      one as Readonly<Record<string, string | number | undefined>>;
    const result = [
      outcome,
      status,
      fault && `fault: ${JSON.stringify(fault)}`,
      retryAt && `again at ${timeOf(+retryAt)}`,
    ]
      .filter(Boolean)
      .join(', ');
    return {
      key: `${number}`,
      mark: JSON.stringify(one),
      make: () => plainLine(`${eventType}, attempt ${attempt}: ${result}`, `${url}`, timeOf(+at!)),
    };
  });
}

export function balanceLines(
  places: Readonly<Record<string, Readonly<Record<string, string>>>>,
  account: string,
): readonly Line[] {
  const free = places[`${account}.free`] ?? {};
  const others = Object.entries(places).filter(
    ([place]) => place.startsWith(`${account}.`) && !place.endsWith('.free'),
  );
  return Object.entries(free).map(([currency, amount]) => {
    const rest = others.flatMap(([place, held]) => {
      const text = held[currency];
      return text && /[1-9]/.test(text)
        ? [`${inGroups(text)} ${place.slice(account.length + 1)}`]
        : [];
    });
    return {
      key: currency,
      mark: `${amount}${rest.join()}`,
      make: () => plainLine(`${inGroups(amount)} ${currency}`, rest.join(', '), ''),
    };
  });
}

function plainLine(what: string, detail: string, time: string): HTMLElement {
  return make(
    'li',
    {},
    make('p', { class: 'what' }, what),
    make('p', { class: 'hint' }, [detail, time].filter(Boolean).join(' · ')),
  );
}
