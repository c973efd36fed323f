import { fill, type Line, make, mark, say } from '../elements/dom.ts';
import {
  clockText,
  type FoldedRow,
  foldRows,
  matchesRow,
  plainText,
  readTone,
  type Row,
  shortIds,
} from './rows.ts';

/** Number of rows to render above and below the visible ones. */
const MARGIN_ROWS = 8;
/** Duration in milliseconds at which a row's bar is full. The scale is logarithmic. */
const LONGEST = 10_000;

/** Symbol for each kind of row. Each symbol also has an accessible name. */
const SIGNS: Readonly<Record<Row['kind'], string>> = {
  request: '→',
  event: '◦',
  state: '●',
  webhook: '⇢',
  service: '◷',
};

/** The selected row, or the resource whose rows are highlighted. */
export interface Chosen {
  readonly key?: string | undefined;
  readonly id?: string | undefined;
}

/**
 * Timeline with a filter and a search field. Only renders the visible rows, so it can handle ten
 * thousand rows. Scrolls to new rows until the user scrolls up.
 */
export class Timeline {
  readonly root: HTMLElement;
  readonly #choose: (key: string) => void;
  readonly #space: HTMLElement = mark(make('div', 'space'), { role: 'presentation' });
  readonly #pane: HTMLElement = mark(make('div', 'rows', this.#space), {
    role: 'listbox',
    tabindex: '0',
    'aria-label': 'Timeline',
  });
  readonly #none: HTMLElement = make('p', 'none hint');
  readonly #more: HTMLButtonElement = mark(make('button', 'more'), { type: 'button' });
  readonly #search: HTMLInputElement = mark(make('input', 'search'), {
    type: 'search',
    placeholder: 'Search  /',
    'aria-label': 'Search the timeline',
    autocomplete: 'off',
  });
  readonly #kinds: HTMLElement = mark(make('div', 'kinds'), {
    role: 'group',
    'aria-label': 'Filter',
  });
  #kind: Row['kind'] | '' = '';
  #rows: readonly Row[] = [];
  #shown: readonly FoldedRow[] = [];
  #chosen: Chosen = {};
  /** Number of rows at the last update. */
  #count = 0;
  #isFollowing = true;
  /** Scroll position when the timeline last scrolled to its end. */
  #pinned = 0;
  #unseen = 0;
  #isToReveal = false;

  constructor(
    kinds: Readonly<Partial<Record<Row['kind'], string>>>,
    choose: (key: string) => void,
  ) {
    this.#choose = choose;
    for (const [kind, label] of Object.entries({ '': 'All', ...kinds })) {
      const button = mark(make('button', 'kind', label), { type: 'button', 'data-kind': kind });
      button.onclick = () => this.#filter(kind as Row['kind']);
      this.#kinds.append(button);
    }
    const tools = make('div', 'tools', this.#kinds, this.#search);
    this.root = make('div', 'log', tools, this.#pane, this.#none, this.#more);
    this.#pane.addEventListener('scroll', () => this.#followScroll(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.#pane);
    this.#more.onclick = () => this.#follow();
    this.#search.oninput = () => this.#follow();
    this.#pane.onclick = ({ target }) => {
      const key = (target as HTMLElement).closest<HTMLElement>('[role=option]')?.dataset['key'];
      const row = this.#shown.find((one) => one.key === key);
      if (row) choose(row.rows.at(-1)!.key);
    };
    const arrows = { ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1) };
    this.#pane.onkeydown = (pressed) => pressKey(pressed, arrows);
    this.#filter('');
  }

  get words(): string {
    return this.#search.value.trim();
  }

  set words(words: string) {
    this.#search.value = words;
    this.#follow();
  }

  /** The timeline's keyboard shortcuts. They don't apply in input fields. */
  readonly keys: Readonly<Record<string, () => void>> = {
    '/': () => this.#search.focus(),
    j: () => this.step(1),
    k: () => this.step(-1),
  };

  /** Shows rows, or the `empty` text if there are none. */
  show(rows: readonly Row[], chosen: Chosen = {}, empty = ''): void {
    if (chosen.key !== this.#chosen.key || chosen.id !== this.#chosen.id) this.#isToReveal = true;
    this.#rows = rows;
    this.#chosen = chosen;
    say(this.#none, rows.length > 0 ? 'Nothing matches.' : empty);
    this.#update();
  }

  /** Returns all polls that share a row with this one. */
  polls(key: string): readonly Row[] {
    return this.#shown.find(({ rows }) => rows.some((row) => row.key === key))?.rows ?? [];
  }

  /** Selects the next row, or the previous row with -1. */
  step(by: number): void {
    const last = this.#shown.length - 1;
    const at = this.#shown.findIndex((row) => this.#isChosen(row));
    const next = at < 0 ? (by > 0 ? 0 : last) : Math.max(0, Math.min(at + by, last));
    const row = this.#shown[next];
    if (row && next !== at) this.#choose(row.rows.at(-1)!.key);
  }

  #isChosen({ rows }: FoldedRow): boolean {
    return rows.some(({ key }) => key === this.#chosen.key);
  }

  /** Scrolls to the selected row, or to the newest row of the selected resource. */
  #reveal(height: number): void {
    const { key, id } = this.#chosen;
    const { scrollTop, clientHeight } = this.#pane;
    const isWanted = (row: FoldedRow): boolean =>
      id === undefined ? this.#isChosen(row) : row.about.includes(id);
    const seen = this.#shown.slice(
      Math.ceil(scrollTop / height),
      Math.floor((scrollTop + clientHeight) / height),
    );
    const at = this.#shown.findLastIndex(isWanted);
    if (at < 0 || seen.some(isWanted)) return;
    this.#isFollowing = false;
    // show the newest row of a resource at the bottom, with its history above
    const isAbove = key !== undefined && at * height < scrollTop;
    this.#pane.scrollTop = isAbove ? at * height : (at + 1) * height - clientHeight;
  }

  #filter(kind: Row['kind'] | ''): void {
    this.#kind = kind;
    for (const button of this.#kinds.children)
      mark(button, { 'aria-pressed': `${(button as HTMLElement).dataset['kind'] === kind}` });
    this.#follow();
  }

  #follow(): void {
    this.#isFollowing = true;
    this.#update();
  }

  #followScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#pane;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 20;
    // if only the pane became smaller, the user hasn't scrolled
    this.#isFollowing = isAtEnd || (this.#isFollowing && scrollTop >= this.#pinned);
    if (this.#isFollowing) this.#unseen = 0;
    this.#draw();
  }

  #update(): void {
    const words = this.words.toLowerCase();
    this.#shown = foldRows(this.#rows).filter(({ rows }) =>
      rows.some((row) => matchesRow(row, this.#kind, words)),
    );
    const added = this.#shown.length - this.#count;
    if (this.#isFollowing) this.#unseen = 0;
    else if (added > 0) this.#unseen += added;
    this.#count = this.#shown.length;
    this.#draw();
  }

  #draw(): void {
    const pane = this.#pane;
    const count = this.#shown.length;
    this.#none.hidden = count > 0;
    pane.hidden = count === 0;
    this.#more.hidden = this.#unseen === 0;
    say(this.#more, `${this.#unseen} new ↓`);
    this.#space.style.setProperty('--count', `${count}`);
    const height = this.#space.offsetHeight / count || 1;
    if (this.#isFollowing) {
      pane.scrollTop = pane.scrollHeight;
      this.#pinned = pane.scrollTop;
    }
    if (pane.clientHeight > 0 && this.#isToReveal) {
      this.#reveal(height);
      this.#isToReveal = false;
    }
    const first = Math.max(0, Math.floor(pane.scrollTop / height) - MARGIN_ROWS);
    const last = Math.ceil((pane.scrollTop + pane.clientHeight) / height) + MARGIN_ROWS;
    this.#place(this.#shown.slice(first, last), first);
  }

  #place(rows: readonly FoldedRow[], first: number): void {
    const lines = rows.map((row) =>
      rowLine(row, (cells) => {
        const element = make('div', `row ${row.kind}`, ...cells);
        return mark(element, { role: 'option', id: `row-${row.key}` });
      }),
    );
    fill(this.#space, lines);
    const { id } = this.#chosen;
    this.#pane.removeAttribute('aria-activedescendant');
    for (const [at, row] of rows.entries()) {
      const element = this.#space.children[at] as HTMLElement;
      element.style.setProperty('--at', `${first + at}`);
      const isChosen = this.#isChosen(row);
      mark(element, {
        'aria-selected': `${isChosen}`,
        'aria-posinset': `${first + at + 1}`,
        'aria-setsize': `${this.#shown.length}`,
      });
      element.toggleAttribute('data-aside', id !== undefined && !row.about.includes(id));
      if (isChosen) mark(this.#pane, { 'aria-activedescendant': element.id });
    }
  }
}

/** Returns a row for a list. Updates reuse its element, so clicks and focus aren't lost. */
function rowLine(row: Row, draw: (cells: readonly HTMLElement[]) => HTMLElement): Line {
  const { key, title, end, why, took, rows } = row as FoldedRow;
  const cells = (): readonly HTMLElement[] => rowCells(row, rows?.length);
  return {
    key,
    mark: `${title} ${end} ${why} ${took} ${rows?.length}`,
    make: () => draw(cells()),
    renew: (old) => (old.querySelector('[part~=row]') ?? old).replaceChildren(...cells()),
  };
}

function rowCells(row: Row, count = 1): readonly HTMLElement[] {
  const { kind, at, title, end, why, took, about } = row;
  const [id] = about;
  const text = plainText(title);
  const sign = mark(make('span', 'sign', SIGNS[kind]), { role: 'img', 'aria-label': kind });
  const time = clockText(at);
  return [
    ...(time
      ? [make('time', 'time', time.slice(0, 8), make('span', 'millis', time.slice(8)))]
      : []),
    sign,
    mark(make('span', 'what', shortIds(text)), { title: text }),
    ...(count > 1 ? [mark(make('span', 'count', `×${count}`), { title: `${count} times` })] : []),
    ...(id && !title.includes(id) ? [mark(make('code', 'id', shortIds(id)), { title: id })] : []),
    ...(why ? [mark(make('span', 'why', why), { title: why })] : []),
    makeBadge(end || (kind === 'request' || kind === 'webhook' ? '…' : '')),
    makeBar(took),
  ];
}

export function makeBadge(end: string): HTMLElement {
  return make('span', `badge ${readTone(end)}`.trim(), end);
}

/** Creates a bar that shows the duration of a request, so slow ones stand out. */
function makeBar(took: number | undefined): HTMLElement {
  const bar = make('span', 'took', took === undefined ? '' : `${Math.round(took)} ms`);
  const share = Math.log1p(took ?? 0) / Math.log1p(LONGEST);
  bar.style.setProperty('--share', `${Math.round(Math.min(1, share) * 100)}%`);
  return bar;
}

/**
 * Fills a list with rows. With `choose`, they're buttons. If there are no rows, shows the `empty`
 * text.
 */
export function listRows(
  list: HTMLElement,
  rows: readonly Row[],
  empty: string,
  choose?: (row: Row) => void,
): void {
  const lines = rows.map((row) =>
    rowLine(row, (cells) => {
      const element = make(choose ? 'button' : 'div', `row ${row.kind}`, ...cells);
      if (choose) mark(element, { type: 'button' }).onclick = () => choose(row);
      return make('li', 'item', element);
    }),
  );
  fill(list, lines.length > 0 ? lines : [noneLine(empty)]);
}

export function noneLine(empty: string): Line {
  return { key: '', mark: empty, make: () => make('li', 'none hint', empty) };
}

/** Runs the keyboard shortcut for a key, unless the user is typing in a field. */
export function pressKey(pressed: KeyboardEvent, keys: Readonly<Record<string, () => void>>): void {
  const { key, target, ctrlKey, metaKey, altKey } = pressed;
  const isWriting = target instanceof Element && target.closest('input,select,textarea,dialog');
  if (isWriting || ctrlKey || metaKey || altKey || !Object.hasOwn(keys, key)) return;
  pressed.preventDefault();
  keys[key]!();
}
