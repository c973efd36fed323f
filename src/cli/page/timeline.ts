import type { Bench } from './bench.ts';
import { makeButton, byId, clockText, make, say, shortId, withShortIds } from './dom.ts';
import type { Row } from './server.ts';

/** Height of a row in pixels, as in the style sheet. */
const ROW_PX = 28;
/** Rows drawn above and below the visible ones. */
const MARGIN_ROWS = 8;

const KINDS = [
  ['all', 'All'],
  ['request', 'Requests'],
  ['event', 'Events'],
  ['webhook', 'Webhooks'],
  ['state', 'States'],
] as const;

/** The sign of a kind, which also has a text. */
const SIGNS: Readonly<Record<Row['kind'], string>> = {
  request: '→',
  event: '◦',
  state: '●',
  webhook: '⇢',
};

/**
 * The timeline. Of its ten thousand rows, only the visible ones are in the document. It follows the
 * end until the user scrolls up.
 */
export class TimelinePane {
  readonly #bench: Bench;
  readonly #pane = byId('rows');
  readonly #space = byId('space');
  readonly #more = byId<HTMLButtonElement>('more');
  readonly #search = byId<HTMLInputElement>('search');
  readonly #drawn = new Map<string, HTMLElement>();
  #kind: (typeof KINDS)[number][0] = 'all';
  #words = '';
  #shown: readonly Row[] = [];
  /** Number of rows at the last drawing. */
  #count = 0;
  #isFollowing = true;
  /** The scroll position at which the pane last followed the end. */
  #pinned = 0;
  #unseen = 0;
  #isPlanned = false;
  #isToReveal = false;

  constructor(bench: Bench) {
    this.#bench = bench;
    for (const [kind, label] of KINDS) {
      const button = makeButton(label, label, () => this.#filter(kind));
      button.dataset['kind'] = kind;
      byId('kinds').append(button);
    }
    this.#filter('all');
    this.#pane.addEventListener('scroll', () => this.#followScroll(), { passive: true });
    new ResizeObserver(() => this.#plan()).observe(this.#pane);
    this.#more.addEventListener('click', () => this.#follow());
    this.#search.addEventListener('input', () => {
      this.#words = this.#search.value.trim().toLowerCase();
      this.#follow();
    });
    this.#pane.addEventListener('click', ({ target }) => {
      const key = (target as HTMLElement).closest<HTMLElement>('[role=option]')?.dataset['key'];
      if (key) bench.select({ is: 'row', key });
    });
    this.#pane.addEventListener('keydown', (pressed) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[pressed.key];
      if (!step) return;
      pressed.preventDefault();
      this.step(step);
    });
    bench.listen((change) => {
      if (change === 'selection' || change === 'view') this.#isToReveal = true;
      if (change === 'rows' || change === 'selection' || change === 'view') this.#plan();
    });
  }

  /** -1 selects the previous row. */
  step(by: number): void {
    const { selection } = this.#bench;
    const at = selection?.is === 'row' ? this.#findPlace(selection.key) : -1;
    const next = at < 0 ? (by > 0 ? 0 : this.#shown.length - 1) : at + by;
    const row = this.#shown[Math.max(0, Math.min(next, this.#shown.length - 1))];
    if (!row) return;
    this.#bench.select({ is: 'row', key: row.key });
  }

  /** Scrolls to the selected row, or to the newest row of the selected resource. */
  #reveal(): void {
    const { selection } = this.#bench;
    const { scrollTop, clientHeight } = this.#pane;
    const isSelected = ({ key, about }: Row): boolean =>
      selection?.is === 'row' ? key === selection.key : about.includes(selection!.id);
    const seen = this.#shown.slice(
      Math.ceil(scrollTop / ROW_PX),
      Math.floor((scrollTop + clientHeight) / ROW_PX),
    );
    const at = selection ? this.#shown.findLastIndex(isSelected) : -1;
    if (at < 0 || seen.some(isSelected)) return;
    const isAbove = selection?.is === 'row' && at * ROW_PX < scrollTop;
    this.#isFollowing = false;
    // a resource's newest row is at the bottom, with its history above
    this.#pane.scrollTop = isAbove ? at * ROW_PX : (at + 1) * ROW_PX - clientHeight;
  }

  #findPlace(key: string): number {
    return this.#shown.findIndex((row) => row.key === key);
  }

  #filter(kind: (typeof KINDS)[number][0]): void {
    this.#kind = kind;
    for (const button of byId('kinds').children)
      button.setAttribute('aria-pressed', `${(button as HTMLElement).dataset['kind'] === kind}`);
    this.#follow();
  }

  #follow(): void {
    this.#isFollowing = true;
    this.#plan();
  }

  #followScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#pane;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < ROW_PX;
    // a pane that shrank, for instance for chips in the bar, wasn't scrolled by the user
    this.#isFollowing = isAtEnd || (this.#isFollowing && scrollTop >= this.#pinned);
    if (this.#isFollowing) this.#unseen = 0;
    this.#plan();
  }

  /** Draws once per frame. A hidden page has no frames. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const draw = (): void => {
      this.#isPlanned = false;
      this.#draw();
    };
    if (document.hidden) setTimeout(draw, 50);
    else requestAnimationFrame(draw);
  }

  #update(): void {
    const { rows } = this.#bench;
    const isFiltered = this.#kind !== 'all' || this.#words !== '';
    this.#shown = isFiltered ? rows.filter((row) => this.#matches(row)) : rows;
    const added = this.#shown.length - this.#count;
    if (this.#isFollowing) this.#unseen = 0;
    else if (added > 0) this.#unseen += added;
    this.#count = this.#shown.length;
  }

  #matches({ kind, title, end, why = '', about, subject = '' }: Row): boolean {
    if (this.#kind !== 'all' && kind !== this.#kind) return false;
    if (this.#words === '') return true;
    return `${title} ${end} ${why} ${subject} ${about.join(' ')}`
      .toLowerCase()
      .includes(this.#words);
  }

  #draw(): void {
    this.#update();
    const pane = this.#pane;
    const count = this.#shown.length;
    const isEmpty = this.#bench.rows.length === 0;
    byId('timeline').hidden = this.#bench.view !== undefined;
    byId('begin').hidden = !isEmpty;
    byId('none').hidden = isEmpty || count > 0;
    pane.hidden = count === 0;
    if (this.#bench.view !== undefined || count === 0) return this.#clear();
    this.#space.style.height = `${count * ROW_PX}px`;
    if (this.#isFollowing) {
      pane.scrollTop = pane.scrollHeight;
      this.#pinned = pane.scrollTop;
    }
    if (this.#isToReveal) this.#reveal();
    this.#isToReveal = false;
    const first = Math.max(0, Math.floor(pane.scrollTop / ROW_PX) - MARGIN_ROWS);
    const last = Math.ceil((pane.scrollTop + pane.clientHeight) / ROW_PX) + MARGIN_ROWS;
    this.#place(this.#shown.slice(first, last), first);
    this.#more.hidden = this.#unseen === 0;
    say(this.#more, `${this.#unseen} new ↓`);
  }

  #clear(): void {
    for (const element of this.#drawn.values()) element.remove();
    this.#drawn.clear();
    this.#more.hidden = true;
  }

  #place(rows: readonly Row[], first: number): void {
    const wanted = new Set(rows.map(({ key }) => key));
    for (const [key, element] of this.#drawn)
      if (!wanted.has(key)) {
        element.remove();
        this.#drawn.delete(key);
      }
    const { selection } = this.#bench;
    for (const [at, row] of rows.entries()) {
      const mark = `${row.end} ${row.why} ${row.took}`;
      let element = this.#drawn.get(row.key);
      if (element?.dataset['mark'] !== mark) {
        const fresh = makeRow(row, mark);
        element?.replaceWith(fresh);
        element = fresh;
        this.#drawn.set(row.key, fresh);
      }
      const place = first + at;
      element.style.top = `${place * ROW_PX}px`;
      const isSelected = selection?.is === 'row' && selection.key === row.key;
      const isAside = selection?.is === 'item' && !row.about.includes(selection.id);
      element.setAttribute('aria-selected', `${isSelected}`);
      element.setAttribute('aria-posinset', `${place + 1}`);
      element.setAttribute('aria-setsize', `${this.#shown.length}`);
      element.classList.toggle('aside', isAside);
      if (this.#space.children[at] !== element)
        this.#space.insertBefore(element, this.#space.children[at] ?? null);
    }
    const active = selection?.is === 'row' && this.#drawn.get(selection.key);
    if (active) this.#pane.setAttribute('aria-activedescendant', active.id);
    else this.#pane.removeAttribute('aria-activedescendant');
  }
}

function makeRow(row: Row, mark: string): HTMLElement {
  const { key, kind, at, title, end, why, isBad, took, about } = row;
  const [id] = about;
  const isPath = kind === 'request';
  return make(
    'div',
    { role: 'option', id: `row-${key}`, class: `row ${kind}`, 'data-key': key, 'data-mark': mark },
    make('time', { datetime: new Date(at).toISOString() }, clockText(at)),
    make('span', { class: 'sign', role: 'img', 'aria-label': kind }, SIGNS[kind]),
    make('span', { class: 'what', title }, isPath ? withShortIds(title) : title),
    ...(id && !title.includes(id) ? [make('code', { title: id }, shortId(id))] : []),
    ...(why ? [make('span', { class: 'why', title: why }, why)] : []),
    make('span', { class: isBad ? 'end bad' : 'end' }, end || (kind === 'event' ? '' : '…')),
    make('span', { class: 'took' }, took === undefined ? '' : `${took} ms`),
  );
}
