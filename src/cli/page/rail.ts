import { makeButton } from '../../devtools/detail.ts';
import { shortId } from '../../devtools/rows.ts';
import { makeBadge } from '../../devtools/timeline.ts';
import type { Act, Bench } from './bench.ts';
import {
  byId,
  copyButton,
  fill,
  type Line,
  make,
  markCurrent,
  moneyText,
  say,
  timeText,
} from './dom.ts';
import { amountText, useLine } from './inspector.ts';
import { ask, type PageResource, asText } from './server.ts';

/** Entries of the rail that aren't resources. */
const PLACES = { balances: 'Balances', keys: 'Keys, limits', report: 'Rests on' } as const;

export class RailPane {
  readonly #bench: Bench;
  readonly #act: Act;
  readonly #create: (resource: PageResource) => void;
  readonly #counts = new Map<string, HTMLElement>();

  constructor(bench: Bench, act: Act, create: (resource: PageResource) => void) {
    this.#bench = bench;
    this.#act = act;
    this.#create = create;
    const { resources } = bench.directory;
    byId('places').append(
      this.#place(undefined, 'Overview'),
      ...resources.map(({ name, title }) => this.#place(name, title)),
      ...Object.entries(PLACES).map(([name, title]) => this.#place(name, title)),
    );
    bench.listen((change) => {
      if (change === 'selection') this.#mark();
      if (change === 'selection' || change === 'live') return;
      this.#count();
      if (change !== 'rows') this.#draw();
    });
  }

  #place(name: string | undefined, title: string): HTMLElement {
    const count = make('span', { class: 'count' });
    if (name) this.#counts.set(name, count);
    const button = makeButton('', title, () => {
      document.body.classList.remove('menu');
      this.#bench.show(name);
    });
    button.append(make('span', { class: 'what' }, title), count);
    button.dataset['place'] = name ?? '';
    return make('li', {}, button);
  }

  #count(): void {
    const bench = this.#bench;
    for (const resource of bench.directory.resources)
      say(this.#counts.get(resource.name)!, `${bench.count(resource) || ''}`);
    for (const button of byId('places').querySelectorAll<HTMLElement>('button'))
      markCurrent(button, button.dataset['place'] === (bench.view ?? '') ? 'page' : undefined);
  }

  #draw(): void {
    const { view } = this.#bench;
    const pane = byId('list');
    pane.hidden = view === undefined;
    if (view === undefined) return;
    const resource = this.#bench.directory.resources.find(({ name }) => name === view);
    const title = resource?.title ?? PLACES[view as keyof typeof PLACES];
    say(byId('list-title'), title);
    const form = resource && this.#bench.formFor(resource);
    const button = byId<HTMLButtonElement>('list-create');
    button.hidden = !form && view !== 'keys';
    say(button, view === 'keys' ? 'Make a key' : `Create ${resource?.one ?? ''}`);
    button.onclick = () =>
      resource ? this.#create(resource) : void this.#act('Make a key', () => this.#bench.makeKey());
    if (view === 'report') return void this.#report();
    if (view === 'balances') return void this.#money();
    this.#fill(resource ? this.#items(resource) : this.#keys(), resource?.empty ?? '');
  }

  #fill(lines: readonly Line[], empty: string): void {
    fill(byId('items'), lines);
    byId('items').hidden = lines.length === 0;
    this.#mark();
    say(byId('list-empty'), lines.length > 0 ? '' : empty);
  }

  #mark(): void {
    const { selection } = this.#bench;
    for (const line of byId('items').querySelectorAll<HTMLElement>('[data-id]')) {
      const isOpen = selection?.is === 'item' && selection.id === line.dataset['id'];
      markCurrent(line.querySelector('button')!, isOpen ? 'true' : undefined);
    }
  }

  #items(resource: PageResource): readonly Line[] {
    const { subject, name, id: member, one } = resource;
    return this.#bench.items(name).map((item) => {
      const id = asText(item[member]);
      const state = asText(item['state']);
      return {
        key: `${name} ${id}`,
        mark: JSON.stringify(item),
        make: () => {
          const open = (): void => this.#bench.select({ is: 'item', subject, id });
          const button = makeButton('', `${one} ${id}`, open);
          button.append(
            make('code', { title: id }, shortId(id)),
            make('strong', {}, amountText(item)),
            make('span', { class: 'hint what' }, asText(item['description'])),
            makeBadge(state),
            make('time', {}, timeText(Date.parse(asText(item['created']))).slice(11, 19)),
          );
          return make('li', { 'data-id': id }, button);
        },
      };
    });
  }

  async #money(): Promise<void> {
    const { account } = this.#bench;
    const { balances } = await ask<{
      readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>;
    }>('GET', `ledger?after=${Number.MAX_SAFE_INTEGER}`);
    if (this.#bench.view !== 'balances') return;
    const held = Object.entries(balances).filter(
      ([place]) => place.startsWith(`${account}.`) && place !== `${account}.free`,
    );
    const lines = Object.entries(balances[`${account}.free`] ?? {}).map(([currency, amount]) => {
      const rest = held.flatMap(([place, amounts]) => {
        const text = amounts[currency] ?? '';
        return /[1-9]/.test(text) ? [`${text} ${place.slice(account.length + 1)}`] : [];
      });
      return {
        key: `balances ${currency}`,
        mark: `${amount} ${rest.join(' · ')}`,
        make: () =>
          make(
            'li',
            { class: 'line' },
            make('strong', {}, moneyText({ amount, currency })),
            make('span', { class: 'hint what' }, rest.join(' · ')),
          ),
      };
    });
    this.#fill(lines, 'No money yet. Add some with POST /_sandbox/fund.');
  }

  /** Shows an account's keys with a button to revoke each, and the blocks of addresses. */
  #keys(): readonly Line[] {
    const keys = this.#bench.items('api-keys').map((key) => {
      const { scopes, isRevoked } = key;
      const apiKey = asText(key['apiKey']);
      const name = `API key ${apiKey.slice(0, 8)}${apiKey.length > 8 ? '…' : ''}`;
      const may = scopes
        ? (scopes as string[]).join(', ') || 'may do nothing'
        : 'may do everything';
      return {
        key: `keys ${apiKey}`,
        mark: JSON.stringify(key),
        make: () =>
          make(
            'li',
            { class: 'line', 'aria-label': name },
            make('code', { class: 'key' }, apiKey),
            make('span', { class: 'hint what' }, may),
            ...(isRevoked
              ? [makeBadge('REVOKED')]
              : [
                  copyButton(this.#act, 'Copy', `Copy: ${name}`, () => apiKey),
                  makeButton('Revoke', `Revoke: ${name}`, () => {
                    void this.#act('Revoke', () => ask('POST', 'revoke', { apiKey }));
                  }),
                ]),
          ),
      };
    });
    const blocks = this.#bench.pulse?.blocks ?? 0;
    const text = `Blocked for too many requests: ${blocks === 1 ? 'once' : `${blocks} times`}`;
    const limits = {
      key: 'keys limits',
      mark: text,
      make: () => make('li', { class: 'line' }, text),
    };
    return [...keys, limits];
  }

  async #report(): Promise<void> {
    const uses = await ask<readonly Parameters<typeof useLine>[0][]>('GET', 'report');
    if (this.#bench.view !== 'report') return;
    const lines = uses.map((use) => ({
      key: `report ${use.id}`,
      mark: `${use.count}`,
      make: () => {
        const line = useLine(use);
        line.append(make('span', { class: 'hint' }, ` · ${use.count} ×`));
        line.className = 'use';
        return line;
      },
    }));
    this.#fill(lines, 'Nothing yet. Responses are listed here with what they are based on.');
  }
}
