import type { Act, Bench } from './bench.ts';
import { toCurl, parseJson, type Repeatable, toSdk } from './copy.ts';
import {
  makeButton,
  byId,
  clockText,
  copyButton,
  make,
  mark,
  moneyText,
  makeQr,
  shortId,
  timeText,
  withShortIds,
} from './dom.ts';
import {
  ask,
  type PageResource,
  readRefusal,
  type Row,
  type Said,
  asText,
  askWorld,
} from './server.ts';

/** A behaviour that a response relies on, from the sandbox's report. */
interface Use {
  readonly id: string;
  /** Its provenance: `documented`, `public`, `inferred` or `assumed`. */
  readonly source: string;
  readonly says: string;
  readonly money: boolean;
  readonly count: number;
}

type Headers = Readonly<Record<string, string>>;

interface Detail {
  readonly row: Row;
  readonly entry?: Said;
  readonly trace?: {
    readonly requestHeaders?: Headers;
    readonly responseHeaders?: Headers;
    readonly requestBody?: string;
    readonly responseBody?: string;
  };
  readonly restsOn?: readonly Use[];
  readonly delivery?: Said & { readonly headers: Headers; readonly body: string };
}

/** Shows the selection: a request, an event, a webhook, or a resource with its history. */
export class Inspector {
  readonly #bench: Bench;
  readonly #act: Act;
  readonly #pane = byId('inspector');
  /** The drawn subject, so that a late response changes nothing. */
  #drawn = '';
  #tab = 'Response';

  constructor(bench: Bench, act: Act) {
    this.#bench = bench;
    this.#act = act;
    bench.listen((change) => {
      if (['selection', 'rows', 'world'].includes(change)) this.#draw();
    });
    this.#draw();
  }

  #draw(): void {
    const { selection } = this.#bench;
    document.body.classList.toggle('inspecting', selection !== undefined);
    if (!selection) {
      this.#fill(
        '',
        make('p', { class: 'hint' }, 'Select a row to see what was sent and received.'),
      );
    } else if (selection.is === 'item') {
      const resource = this.#bench.directory.resources.find(
        ({ subject }) => subject === selection.subject,
      );
      if (resource) this.#item(resource, selection.id);
    } else {
      const row = this.#bench.row(selection.key);
      if (row) void this.#row(row);
    }
  }

  #fill(mark: string, ...children: readonly (Node | string)[]): void {
    if (mark !== '' && this.#drawn === mark) return;
    const isSame = mark.split('\n')[0] === this.#drawn.split('\n')[0];
    const open = isSame ? openIn(this.#pane) : new Set<string>();
    const { activeElement } = document;
    const name = this.#pane.contains(activeElement) ? accessibleName(activeElement!) : undefined;
    this.#drawn = mark;
    const close = makeButton('×', 'Close', () => this.#bench.select(undefined));
    close.className = 'close';
    this.#pane.replaceChildren(...(mark ? [close] : []), ...children);
    for (const details of this.#pane.querySelectorAll('details'))
      if (open.has(details.dataset['name'] ?? '')) details.open = true;
    if (name === undefined) return;
    const same = [...this.#pane.querySelectorAll('button')].find(
      (one) => accessibleName(one) === name,
    );
    (same ?? this.#pane).focus();
  }

  async #row(row: Row): Promise<void> {
    const mark = `${row.key}\n${row.end} ${row.took}`;
    if (this.#drawn === mark) return;
    const answer = await fetch(`/_page/row/${row.key}`);
    const detail = answer.ok ? ((await answer.json()) as Detail) : { row };
    const { selection } = this.#bench;
    if (selection?.is !== 'row' || selection.key !== row.key) return;
    const facts = make(
      'p',
      { class: 'hint' },
      [timeText(row.at), row.took !== undefined && `${row.took} ms`, row.account]
        .filter(Boolean)
        .join(' · '),
    );
    const end = make('span', { class: row.isBad ? 'end bad' : 'end' }, row.end);
    this.#fill(
      mark,
      make('h2', { title: row.title }, withShortIds(row.title), ' ', end),
      facts,
      ...(row.why ? [make('p', { class: row.isBad ? 'reason' : 'hint' }, row.why)] : []),
      this.#links(row),
      ...this.#showDetail(detail),
    );
  }

  #showDetail(detail: Detail): readonly HTMLElement[] {
    const { row, delivery } = detail;
    if (row.kind === 'request') return this.#request(detail);
    if (delivery) {
      const { headers, body, ...facts } = delivery;
      return [
        this.#copies([['JSON', () => body]]),
        section('Facts', showJson(facts)),
        section('Body, as sent', showHeaders(headers), showBody(body)),
      ];
    }
    const facts = { ...row, at: timeText(row.at) };
    return [this.#copies([['JSON', () => JSON.stringify(facts, null, 2)]]), showJson(facts)];
  }

  #links({ about }: Row): HTMLElement {
    const links = about.flatMap((id) => {
      const resource = this.#bench.findResource(id);
      if (!resource) return [];
      const label = `${capital(resource.one)} ${shortId(id)}`;
      const open = (): void => this.#bench.select({ is: 'item', subject: resource.subject, id });
      return [makeButton(label, label, open)];
    });
    return make('p', { class: 'links' }, ...links);
  }

  #request({ row, entry = {}, trace = {}, restsOn = [] }: Detail): readonly HTMLElement[] {
    const asked: Repeatable = {
      method: asText(entry['method']),
      path: asText(entry['path']) + asText(entry['query']),
      body: trace.requestBody,
      idempotencyKey: trace.requestHeaders?.['idempotency-key'],
    };
    const place = { origin: location.origin, apiKey: this.#bench.key };
    const panels: Readonly<Record<string, () => readonly HTMLElement[]>> = {
      Request: () => [
        showHeaders(trace.requestHeaders),
        showBody(trace.requestBody ?? (trace.requestHeaders && '')),
      ],
      Response: () => [
        ...reasonsIn(trace.responseBody, row.isBad).map((reason) =>
          make('p', { class: 'reason' }, reason),
        ),
        showHeaders(trace.responseHeaders),
        showBody(trace.responseBody ?? (trace.responseHeaders && '')),
      ],
      'Rests on': () => [make('ul', { class: 'uses' }, ...restsOn.map(useLine))],
    };
    const panel = make('div', { role: 'tabpanel', id: 'panel', 'aria-label': this.#tab });
    const tabs = make('div', { role: 'tablist', class: 'tabs', 'aria-label': 'Parts' });
    const choose = (name: string): void => {
      this.#tab = name;
      panel.replaceChildren(...panels[name]!());
      panel.setAttribute('aria-label', name);
      for (const tab of tabs.querySelectorAll('[role=tab]')) {
        const isChosen = tab.textContent === name;
        mark(tab, { 'aria-selected': `${isChosen}`, tabindex: isChosen ? '0' : '-1' });
      }
    };
    tabs.append(...Object.keys(panels).map((name) => makeTab(name, choose)));
    choose(this.#tab);
    return [
      this.#copies([
        ['curl', () => toCurl(asked, place)],
        ['SDK', () => toSdk(asked, place, this.#bench.directory.routes)],
        ['JSON', () => JSON.stringify({ ...entry, ...trace }, null, 2)],
      ]),
      ...this.#executions(asked, trace.responseBody),
      tabs,
      panel,
    ];
  }

  /** Buttons for the next step, such as executing the new quote. */
  #executions({ path }: Repeatable, text: string | undefined): readonly HTMLElement[] {
    const { paymentQuoteId } = (parseJson(text ?? '') ?? {}) as Said;
    if (!path.startsWith('/v1/payment-quotes') || typeof paymentQuoteId !== 'string') return [];
    const run = (): Promise<unknown> =>
      this.#bench.send('PATCH', `/v1/payment-quotes/${paymentQuoteId}/execute`);
    const press = (): void => void this.#act('Execute the quote', run);
    return [make('p', { class: 'actions' }, makeButton('Execute', 'Execute the quote', press))];
  }

  #copies(texts: readonly (readonly [string, () => string])[]): HTMLElement {
    return make(
      'p',
      { class: 'copies' },
      make('span', { class: 'hint' }, 'Copy'),
      ...texts.map(([name, text]) => copyButton(this.#act, name, `Copy as ${name}`, text)),
    );
  }

  #item(resource: PageResource, id: string): void {
    const bench = this.#bench;
    const item = bench.find(resource, id) ?? {};
    const rows = bench.rows.filter(({ about }) => about.includes(id));
    const state = asText(item['state']) || stateIn(rows);
    const ends = rows.map(({ key, end }) => key + end).join();
    const actions = listActions(bench, resource, { id, item, state });
    const code = findPayCode(bench, resource, item);
    const can = actions.map(({ label }) => label).join();
    const mark = `${resource.subject} ${id}\n${state} ${ends} ${can} ${code} ${JSON.stringify(item)}`;
    if (this.#drawn === mark) return;
    this.#fill(
      mark,
      make('h2', {}, `${capital(resource.one)} `, make('code', { title: id }, shortId(id))),
      make('p', { class: 'amount' }, amountText(item)),
      make('p', { class: 'hint' }, factsText(item)),
      showStates(resource, state, rows),
      make(
        'p',
        { class: 'actions' },
        ...actions.map(({ label, run }) =>
          makeButton(label, `${label}: ${resource.one} ${id}`, () => {
            void this.#act(`${resource.title}, ${label}`, run);
          }),
        ),
      ),
      this.#copies([
        ['id', () => id],
        ['JSON', () => JSON.stringify(item, null, 2)],
      ]),
      ...(code
        ? [
            fold(
              'Payment code',
              makeQr(code, 'QR code of the payment code'),
              make('code', {}, code),
            ),
          ]
        : []),
      ...this.#listRelated(rows),
      ...(Object.keys(item).length > 0 ? [fold('JSON', showJson(item))] : []),
    );
  }

  #listRelated(rows: readonly Row[]): readonly HTMLElement[] {
    const parts = [
      ['Requests', 'request'],
      ['Events', 'event'],
      ['Deliveries', 'webhook'],
    ] as const;
    return parts.map(([title, kind]) => {
      const some = rows.filter((row) => row.kind === kind).slice(-50);
      const list = make(
        'ul',
        { class: 'related' },
        ...some.map(({ key, at, title: what, end, why, isBad }) => {
          const button = makeButton('', `${what} ${end}`, () =>
            this.#bench.select({ is: 'row', key }),
          );
          const tail = [end, why].filter(Boolean).join(' · ');
          button.append(
            make('time', {}, clockText(at, 0)),
            make('span', { class: 'what' }, what.replace(/[\da-f]{8}-[\da-f-]{27}/g, '…')),
            make('span', { class: isBad ? 'end bad' : 'end' }, tail),
          );
          return make('li', {}, button);
        }),
      );
      const none = make('p', { class: 'hint' }, 'None.');
      return section(`${title} ${some.length || ''}`.trim(), some.length > 0 ? list : none);
    });
  }
}

interface PageAction {
  readonly label: string;
  run(): Promise<unknown>;
}

interface Shown {
  readonly id: string;
  readonly item: Said;
  readonly state: string;
}

const pay =
  (target: unknown, more: object = {}) =>
  (): Promise<unknown> =>
    ask('POST', 'pay', { target, ...more });

function listActions(
  bench: Bench,
  { subject, moves, commands }: PageResource,
  { id, item, state }: Shown,
): readonly PageAction[] {
  const moved = (moves[state] ?? []).map(({ to, label }) => ({
    label,
    run: () => ask('POST', 'move', { subject, id, state: to }),
  }));
  const labels = new Set(moved.map(({ label }) => label));
  const isOpen = subject !== 'invoice' || state === 'UNPAID';
  const sent = commands
    .filter(({ label }) => isOpen && !labels.has(label))
    .map(({ method, path, label }) => ({
      label,
      run: () => bench.send(method, path.replace(/\{\w+\}/, id)),
    }));
  return [...listPayments(bench, subject, { id, item, state }), ...sent, ...moved];
}

function listPayments(bench: Bench, subject: string, { id, item, state }: Shown): PageAction[] {
  const { bolt11 } = item as { readonly bolt11?: Said };
  if (subject === 'receiveRequest' && bolt11)
    return [{ label: 'Pay', run: pay(bolt11['invoice']) }];
  if (subject !== 'invoice' || state !== 'UNPAID') return [];
  return [
    { label: 'Pay', run: pay(id) },
    { label: 'Pay slowly, 10 s', run: pay(id, { pendingFor: 10_000, wait: false }) },
    { label: 'Pay and fail', run: pay(id, { fails: true }) },
    ...(findQuote(bench.world, id)
      ? [{ label: 'Expire the quote', run: () => endQuote(id, bench.account) }]
      : []),
  ];
}

function findQuote(world: Said, invoiceId: unknown): Said | undefined {
  return ((world['invoice-quotes'] ?? []) as readonly Said[]).find(
    (quote) => quote['invoiceId'] === invoiceId,
  );
}

/** Does nothing if the quote is over. */
async function endQuote(invoiceId: string, account: string): Promise<void> {
  const quote = findQuote(await askWorld(account), invoiceId);
  const { now } = await ask<{ readonly now: number }>('GET', 'state');
  const left = Date.parse(asText(quote?.['expiration'])) - now;
  if (left > 0) await ask('POST', 'advance', { duration: left });
}

/** Empty if the item can't be paid now. */
function findPayCode({ world }: Bench, { subject }: PageResource, item: Said): string {
  if (subject === 'receiveRequest')
    return asText((item['bolt11'] as Said | undefined)?.['invoice']);
  const isOpen = subject === 'invoice' && item['state'] === 'UNPAID';
  return isOpen ? asText(findQuote(world, item['invoiceId'])?.['lnInvoice']) : '';
}

export function amountText(item: Said): string {
  const { amount, totalAmount, amountReceived, source, target } = item;
  if (source && target) return `${moneyText(source)} → ${moneyText(target)}`;
  const money =
    amount ??
    totalAmount ??
    amountReceived ??
    (item['bolt11'] as Said | undefined)?.['requestedAmount'];
  return money
    ? moneyText(money)
    : asText(item['webhookUrl']) ||
        asText(item['bankName']) ||
        asText((item['details'] as Said | undefined)?.['name']);
}

function factsText({ created, description, correlationId, reference }: Said): string {
  return [
    timeText(Date.parse(asText(created))),
    asText(description),
    asText(correlationId) && `correlation id ${asText(correlationId)}`,
    asText(reference) && `reference ${asText(reference)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function capital(words: string): string {
  return words.replace(/^./, (letter) => letter.toUpperCase());
}

function stateIn(rows: readonly Row[]): string {
  const last = rows.findLast(({ kind }) => kind === 'state');
  return last?.end.split('→ ').at(-1) ?? '';
}

function showStates(resource: PageResource, state: string, rows: readonly Row[]): HTMLElement {
  const seen = rows
    .filter(({ kind }) => kind === 'state')
    .flatMap(({ end, at }, index) => {
      const [from = '', to = ''] = end.split(/\s*→\s*/);
      const first = index === 0 && from ? [{ name: from, at: undefined }] : [];
      return [...first, { name: to, at: at as number | undefined }];
    });
  if (seen.at(-1)?.name !== state && state) seen.push({ name: state, at: undefined });
  const next = (resource.moves[state] ?? []).map(({ to }) => to);
  return make(
    'ol',
    { class: 'states', 'aria-label': 'States' },
    ...seen.map(({ name, at }, index) =>
      make(
        'li',
        index === seen.length - 1 ? { 'aria-current': 'step', 'data-state': name } : {},
        make('span', {}, name),
        ...(at === undefined ? [] : [make('time', {}, clockText(at, 0))]),
      ),
    ),
    ...(next.length > 0
      ? [make('li', { class: 'next' }, make('span', {}, `may become ${next.join(', ')}`))]
      : []),
  );
}

function reasonsIn(body: string | undefined, isBad: boolean): readonly string[] {
  if (body === undefined || !isBad) return [];
  const { message, fields, values } = readRefusal((parseJson(body) ?? {}) as Said);
  const facts = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return ['says', 'advice'].includes(name) ? text : `${name}: ${text}`;
  });
  const wrong = Object.entries(fields).map(([path, text]) => `${path}: ${text}`);
  return [message, ...wrong, ...facts].filter(Boolean);
}

export function useLine({ source, says, money, id }: Use): HTMLElement {
  return make(
    'li',
    {},
    make('span', { class: 'source', 'data-source': source }, source),
    ' ',
    make('code', {}, id),
    ` ${says}${money ? ' (money)' : ''}`,
  );
}

function makeTab(name: string, choose: (name: string) => void): HTMLElement {
  const tab = makeButton(name, name, () => choose(name));
  mark(tab, { role: 'tab', 'aria-controls': 'panel' });
  tab.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[key];
    const next = step && (tab[step as 'nextElementSibling'] as HTMLElement | null);
    if (!next) return;
    choose(next.textContent);
    next.focus();
  });
  return tab;
}

function section(title: string, ...children: readonly Node[]): HTMLElement {
  return make('section', {}, make('h3', {}, title), ...children);
}

function fold(title: string, ...children: readonly Node[]): HTMLDetailsElement {
  return make('details', { 'data-name': title }, make('summary', {}, title), ...children);
}

function showHeaders(headers: Headers = {}): HTMLElement {
  const entries = Object.entries(headers);
  const list = entries.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]);
  return fold(`Headers ${entries.length}`, make('dl', { class: 'headers' }, ...list));
}

function showBody(text: string | undefined): HTMLElement {
  if (!text)
    return make('p', { class: 'hint' }, text === undefined ? 'No body is kept.' : 'Empty.');
  const read = parseJson(text);
  return read === undefined ? make('pre', { tabindex: '0' }, text) : showJson(read);
}

function showJson(value: unknown): HTMLElement {
  return make(
    'div',
    { class: 'json', tabindex: '0', role: 'group', 'aria-label': 'JSON' },
    showNode('', value, 0),
  );
}

function showNode(name: string, value: unknown, depth: number): HTMLElement {
  const label = name && make('span', { class: 'name' }, `"${name}": `);
  if (typeof value !== 'object' || value === null)
    return make('div', {}, label, JSON.stringify(value) ?? 'undefined');
  const isList = Array.isArray(value);
  const entries = isList ? value.map((one) => ['', one] as const) : Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return make('div', {}, label, `${open}${close}`);
  const size = `${open} ${entries.length} ${close}`;
  const details = make(
    'details',
    { 'data-name': `${depth} ${name}` },
    make('summary', {}, label, make('span', { class: 'size' }, size)),
    ...entries.map(([key, one]) => showNode(key, one, depth + 1)),
  );
  details.open = depth < 3 && entries.length <= 20;
  return details;
}

function openIn(pane: HTMLElement): Set<string> {
  const open = [...pane.querySelectorAll('details')].filter((details) => details.open);
  return new Set(open.map((details) => details.dataset['name'] ?? ''));
}

function accessibleName(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent ?? '';
}
