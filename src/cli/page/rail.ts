import { makeButton } from '../../devtools/detail.ts';
import { joinText, type Row } from '../../devtools/rows.ts';
import { listRows, makeBadge, noneLine } from '../../devtools/timeline.ts';
import type { Act, Bench } from './bench.ts';
import { byId, copyButton, fill, type Line, make, markCurrent, moneyText, say } from './dom.ts';
import { amountText, useLine } from './inspector.ts';
import { ask, type PageResource, asText } from './server.ts';

/** Navigation entries that aren't resources. */
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
    if (!resource) return fill(byId('items'), this.#keys());
    const { subject, empty } = resource;
    listRows(byId('items'), this.#rows(resource), empty, ({ key: id }) =>
      this.#bench.select({ is: 'item', subject, id }),
    );
    this.#mark();
  }

  #mark(): void {
    const { selection } = this.#bench;
    for (const row of byId('items').querySelectorAll('[part~=row]')) {
      const { key } = row.parentElement!.dataset;
      const isOpen = selection?.is === 'item' && selection.id === key;
      markCurrent(row, isOpen ? 'true' : undefined);
    }
  }

  #rows({ name, id: member }: PageResource): readonly Row[] {
    return this.#bench.items(name).map((item) => ({
      key: asText(item[member]),
      kind: 'state',
      at: Date.parse(asText(item['created'])),
      title: amountText(item),
      end: asText(item['state']),
      why: asText(item['description']),
      about: [asText(item[member])],
    }));
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
    const rows = Object.entries(balances[`${account}.free`] ?? {}).map(
      ([currency, amount]): Row => ({
        key: currency,
        kind: 'state',
        at: NaN,
        title: moneyText({ amount, currency }),
        end: '',
        why: joinText(
          ...held.map(
            ([place, { [currency]: text = '' }]) =>
              /[1-9]/.test(text) && `${text} ${place.slice(account.length + 1)}`,
          ),
        ),
        about: [],
      }),
    );
    listRows(byId('items'), rows, 'No money yet. Add some with POST /_sandbox/fund.');
  }

  /**
   * Lists the account's API keys with a button to revoke each one, and shows how often an IP
   * address was blocked.
   */
  #keys(): readonly Line[] {
    const keys = this.#bench.items('api-keys').map((key) => {
      const { scopes, isRevoked } = key;
      const apiKey = asText(key['apiKey']);
      const name = `API key ${apiKey.slice(0, 8)}${apiKey.length > 8 ? '…' : ''}`;
      const may = scopes ? (scopes as string[]).join(', ') || 'has no scopes' : 'has all scopes';
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
    const none = noneLine("Nothing yet. Responses appear here with what they're based on.");
    fill(byId('items'), lines.length > 0 ? lines : [none]);
  }
}
