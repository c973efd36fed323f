import { parseJson } from '../../core/platform.ts';
import {
  DetailPane,
  fold,
  foldPolls,
  makeButton,
  makeTabs,
  rowHead,
  section,
  showBody,
  showHeaders,
  showJson,
} from '../../devtools/detail.ts';
import { foldRows, joinText, readTone, type Row, shortIds } from '../../devtools/rows.ts';
import { listRows, makeBadge, type Timeline } from '../../devtools/timeline.ts';
import type { Act, Bench } from './bench.ts';
import { toCurl, type Repeatable, toSdk } from './copy.ts';
import { byId, copyButton, make, moneyText, makeQr, timeText } from './dom.ts';
import { ask, type PageResource, readRefusal, type Said, asText, askWorld } from './server.ts';

/** A behavior that a response relies on, from the sandbox's report. */
interface Use {
  readonly id: string;
  /** Provenance of the behavior, which is `documented`, `public`, `inferred` or `assumed`. */
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

/** Pane that shows the selected request, event, webhook or resource. */
export class Inspector {
  readonly #bench: Bench;
  readonly #act: Act;
  readonly #timeline: Timeline;
  readonly #pane: DetailPane;
  #tab = 'Response';

  constructor(bench: Bench, act: Act, timeline: Timeline) {
    this.#bench = bench;
    this.#act = act;
    this.#timeline = timeline;
    this.#pane = new DetailPane(byId('inspector'), () => bench.select(undefined));
    bench.listen((change) => {
      if (change === 'view' && this.#pane.isOver) bench.select(undefined);
      if (['selection', 'rows', 'world'].includes(change)) this.#draw();
    });
  }

  #draw(): void {
    const { selection } = this.#bench;
    if (!selection) return this.#pane.show('');
    if (selection.is === 'item') {
      const resource = this.#bench.directory.resources.find(
        ({ subject }) => subject === selection.subject,
      );
      if (resource) this.#item(resource, selection.id);
    } else {
      const row = this.#bench.row(selection.key);
      if (row) void this.#row(row);
    }
  }

  async #row(row: Row): Promise<void> {
    const polls = this.#timeline.polls(row.key);
    const mark = `${row.key}\n${row.end} ${row.took} ${polls.length}`;
    if (this.#pane.shows(mark)) return;
    const answer = await fetch(`/_page/row/${row.key}`);
    const detail = answer.ok ? ((await answer.json()) as Detail) : { row };
    const { selection } = this.#bench;
    if (selection?.is !== 'row' || selection.key !== row.key) return;
    const took = row.took !== undefined && `${row.took} ms`;
    this.#pane.show(
      mark,
      ...rowHead(row, joinText(timeText(row.at), took, row.account)),
      ...(row.why ? [make('p', { class: isRefused(row) ? 'reason' : 'hint' }, row.why)] : []),
      this.#links(row),
      ...this.#showDetail(detail),
      ...foldPolls(polls, ({ key }) => this.#bench.select({ is: 'row', key })),
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
      const label = `${capital(resource.one)} ${shortIds(id)}`;
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
    const contents = {
      Request: [
        showHeaders(trace.requestHeaders),
        showBody(trace.requestBody ?? (trace.requestHeaders && '')),
      ],
      Response: [
        ...reasonsIn(trace.responseBody, row).map((reason) =>
          make('p', { class: 'reason' }, reason),
        ),
        showHeaders(trace.responseHeaders),
        showBody(trace.responseBody ?? (trace.responseHeaders && '')),
      ],
      'Rests on': [make('ul', { class: 'uses' }, ...restsOn.map(useLine))],
    };
    const { parts, choose } = makeTabs('Parts', contents, (name) => void (this.#tab = name));
    choose(this.#tab);
    return [
      this.#copies([
        ['curl', () => toCurl(asked, place)],
        ['SDK', () => toSdk(asked, place, this.#bench.directory.routes)],
        ['JSON', () => JSON.stringify({ ...entry, ...trace }, null, 2)],
      ]),
      ...this.#executions(asked, trace.responseBody),
      ...parts,
    ];
  }

  /** Returns a button for executing the payment quote in the response, if there is one. */
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
    if (this.#pane.shows(mark)) return;
    this.#pane.show(
      mark,
      make(
        'h2',
        {},
        `${capital(resource.one)} `,
        make('code', { title: id }, shortIds(id)),
        ' ',
        makeBadge(state),
      ),
      make('p', { class: 'amount' }, amountText(item)),
      make('p', { class: 'hint' }, factsText(item)),
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
      ...(code ? [fold('Payment code', makeQr(code, 'QR code'), make('code', {}, code))] : []),
      ...this.#listRelated(rows),
      ...(Object.keys(item).length > 0 ? [fold('JSON', showJson(item))] : []),
    );
  }

  #listRelated(rows: readonly Row[]): readonly HTMLElement[] {
    const parts = [
      ['States', 'state'],
      ['Requests', 'request'],
      ['Events', 'event'],
      ['Deliveries', 'webhook'],
    ] as const;
    return parts.map(([title, kind]) => {
      const some = foldRows(rows.filter((row) => row.kind === kind)).slice(-50);
      const list = make('ul', { part: 'related' });
      listRows(list, some, 'None.', ({ key }) => this.#bench.select({ is: 'row', key }));
      return section(joinText(title, some.length), list);
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

/** Advances time to the expiry of an invoice's quote. Does nothing if the quote has expired. */
async function endQuote(invoiceId: string, account: string): Promise<void> {
  const quote = findQuote(await askWorld(account), invoiceId);
  const { now } = await ask<{ readonly now: number }>('GET', 'state');
  const left = Date.parse(asText(quote?.['expiration'])) - now;
  if (left > 0) await ask('POST', 'advance', { duration: left });
}

/** Returns a resource's BOLT11 invoice, or an empty string if it can't be paid now. */
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

function isRefused({ end }: Row): boolean {
  return ['wait', 'bad'].includes(readTone(end));
}

function reasonsIn(body: string | undefined, row: Row): readonly string[] {
  if (body === undefined || !isRefused(row)) return [];
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
    makeBadge(source),
    ' ',
    make('code', {}, id),
    ` ${says}${money ? ' (money)' : ''}`,
  );
}
