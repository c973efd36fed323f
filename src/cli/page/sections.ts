import { byId, fill, type Line, make, say } from './dom.ts';
import type { PageResource } from './resources.ts';

/** Lines that a list of requests or deliveries shows. */
export const MOST = 40;

interface Section {
  readonly name: string;
  readonly title: string;
  /** What to do where it is empty. */
  readonly empty: string;
}

const BEFORE: readonly Section[] = [
  {
    name: 'requests',
    title: 'Requests',
    empty: 'None yet. Send one to the base address, with the API key as a Bearer token.',
  },
  {
    name: 'balances',
    title: 'Balances',
    empty: 'No money yet. POST /_sandbox/fund puts some there.',
  },
];

const AFTER: readonly Section[] = [
  { name: 'events', title: 'Events', empty: 'None yet. Each change makes one: create an invoice.' },
  {
    name: 'deliveries',
    title: 'Webhook deliveries',
    empty: 'None yet. POST /v1/subscriptions, then let something happen.',
  },
  { name: 'api-keys', title: 'API keys', empty: 'None. Make a key above.' },
  {
    name: 'report',
    title: 'What the responses rest on',
    empty: 'Nothing yet. Responses are listed here with how well founded they are.',
  },
];

/**
 * Makes all sections: a heading, how many there are, the list, and what to do where it is empty.
 */
export function makeSections(resources: readonly PageResource[]): void {
  byId('sections').append(
    ...[...BEFORE, ...resources, ...AFTER].map(({ name, title, empty }, index) =>
      make(
        'section',
        { 'aria-labelledby': `title-${index}`, class: name },
        make('h2', { id: `title-${index}` }, title, ' ', make('span', { class: 'count' })),
        make('p', { class: 'hint empty' }, empty),
        make('ul', { 'data-list': name, tabindex: '0', 'aria-labelledby': `title-${index}` }),
      ),
    ),
  );
}

export function fillSection(name: string, lines: readonly Line[]): void {
  const list = document.querySelector<HTMLElement>(`[data-list="${name}"]`)!;
  fill(list, lines);
  list.hidden = lines.length === 0;
  const section = list.closest('section')!;
  section.querySelector<HTMLElement>('.empty')!.hidden = lines.length > 0;
  say(
    section.querySelector('.count')!,
    lines.length < MOST ? `${lines.length || ''}` : `last ${lines.length}`,
  );
}
