import { parseJson } from '../core/platform.ts';
import { make, mark } from '../elements/dom.ts';
import { clockText, plainText, type Row, shortIds } from './rows.ts';
import { listRows, makeBadge, pressKey } from './timeline.ts';

/** Pane that shows the selected row, next to the timeline or on top of it. */
export class DetailPane {
  readonly root: HTMLElement;
  readonly #close: () => void;
  /** Identifies the current content, so it's only redrawn when it changes. */
  #drawn = '';

  constructor(root: HTMLElement, close: () => void) {
    this.root = mark(root, { part: 'detail', tabindex: '0', 'aria-label': 'Inspector' });
    this.#close = close;
    root.hidden = true;
  }

  /** Whether the pane covers the timeline, because there's no room for both. */
  get isOver(): boolean {
    return !this.root.hidden && getComputedStyle(this.root).position === 'absolute';
  }

  shows(mark: string): boolean {
    return this.#drawn === mark;
  }

  /**
   * Shows new content. If the first line of `mark` hasn't changed, keeps the focus and the expanded
   * sections.
   */
  show(mark: string, ...children: readonly (Node | string)[]): void {
    if (this.#drawn === mark) return;
    const { root } = this;
    const isSame = mark.split('\n')[0] === this.#drawn.split('\n')[0];
    const open = new Set(
      isSame
        ? listFolds(root)
            .filter((one) => one.open)
            .map(foldName)
        : [],
    );
    const { activeElement } = root.getRootNode() as Document | ShadowRoot;
    const focused = root.contains(activeElement) ? accessibleName(activeElement!) : undefined;
    const wasHidden = root.hidden;
    this.#drawn = mark;
    root.hidden = mark === '';
    root.replaceChildren(makeButton('×', 'Close', this.#close), ...children);
    root.firstElementChild!.setAttribute('part', 'close');
    for (const fold of listFolds(root)) if (open.has(foldName(fold))) fold.open = true;
    if (focused === undefined && !(wasHidden && this.isOver)) return;
    const list = root.parentElement!.querySelector<HTMLElement>('[part~=rows]');
    const same = [...root.querySelectorAll('button')].find(
      (one) => accessibleName(one) === focused,
    );
    (root.hidden ? list : (same ?? root))?.focus();
  }
}

function listFolds(root: HTMLElement): readonly HTMLDetailsElement[] {
  return [...root.querySelectorAll('details')];
}

function foldName({ dataset }: HTMLDetailsElement): string {
  return dataset['name'] ?? '';
}

function accessibleName(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent ?? '';
}

/** Creates a button. `name` is its accessible name, which may be longer than its label. */
export function makeButton(label: string, name: string, press: () => void): HTMLButtonElement {
  const button = mark(make('button', 'button', label), {
    type: 'button',
    ...(label && name !== label && { 'aria-label': name }),
  });
  button.addEventListener('click', press);
  return button;
}

/** Returns a row's title and a line of facts about it. */
export function rowHead(row: Row, facts: string): readonly HTMLElement[] {
  const title = plainText(row.title);
  const head = make('h2', 'title', shortIds(title), ' ', makeBadge(row.end));
  return [mark(head, { title }), make('p', 'hint', facts)];
}

export function section(title: string, ...children: readonly Node[]): HTMLElement {
  return make('section', 'section', make('h3', 'name', title), ...children);
}

export function fold(title: string, ...children: readonly Node[]): HTMLDetailsElement {
  const details = make('details', 'fold', make('summary', 'summary', title), ...children);
  return mark(details, { 'data-name': title });
}

/** Returns a collapsed list of the polls that share a row, if there are at least two. */
export function foldPolls(rows: readonly Row[], choose: (row: Row) => void): readonly Node[] {
  if (rows.length < 2) return [];
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const span = `${clockText(first.at, 0)} to ${clockText(last.at, 0)}`;
  const list = make('ul', 'related');
  listRows(list, rows.slice(-50), '', choose);
  return [fold(`${rows.length} times, ${span}`, list)];
}

export function showHeaders(headers: Readonly<Record<string, string>> = {}): HTMLElement {
  const entries = Object.entries(headers);
  const list = entries.flatMap(([name, value]) => [
    make('dt', 'name', name),
    make('dd', 'value', value),
  ]);
  return fold(`Headers ${entries.length}`, make('dl', 'headers', ...list));
}

export function showBody(text: string | undefined): HTMLElement {
  if (!text) return make('p', 'hint', text === undefined ? 'No body was saved.' : 'Empty.');
  const read = parseJson(text);
  return read === undefined ? mark(make('pre', 'text', text), { tabindex: '0' }) : showJson(read);
}

export function showJson(value: unknown): HTMLElement {
  const named = { tabindex: '0', role: 'group', 'aria-label': 'JSON' };
  return mark(make('div', 'json', showNode('', value, 0)), named);
}

function showNode(name: string, value: unknown, depth: number): HTMLElement {
  const label = name ? [make('span', 'name', `"${name}": `)] : [];
  if (typeof value !== 'object' || value === null)
    return make('div', 'value', ...label, JSON.stringify(value) ?? 'undefined');
  const isList = Array.isArray(value);
  const entries = isList ? value.map((one) => ['', one] as const) : Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return make('div', 'value', ...label, `${open}${close}`);
  const size = make('span', 'size', `${open} ${entries.length} ${close}`);
  const details = make(
    'details',
    'node',
    make('summary', 'summary', ...label, size),
    ...entries.map(([key, one]) => showNode(key, one, depth + 1)),
  );
  details.open = depth < 3 && entries.length <= 20;
  return mark(details, { 'data-name': `${depth} ${name}` });
}

export interface Tabs {
  readonly parts: readonly HTMLElement[];
  choose(name: string): void;
}

/** Creates accessible tabs. Calls `chosen` with the name of each tab that the user selects. */
export function makeTabs(
  label: string,
  contents: Readonly<Record<string, readonly Node[]>>,
  chosen: (name: string) => void,
): Tabs {
  const tabs = Object.entries(contents).map(([name, nodes]) => {
    const [head, panel] = [make('button', 'tab', name), make('div', 'panel', ...nodes)];
    const [id, controls] = ['tab', 'panel'].map((kind) =>
      `${kind} ${label} ${name}`.replace(/ /g, '-'),
    );
    mark(head, { type: 'button', role: 'tab', id: id!, 'aria-controls': controls! });
    mark(panel, { role: 'tabpanel', id: controls!, tabindex: '0', 'aria-labelledby': id! });
    return { name, head, panel };
  });
  const choose = (wanted: string): void => {
    for (const { name, head, panel } of tabs) {
      panel.hidden = name !== wanted;
      mark(head, { 'aria-selected': `${!panel.hidden}`, tabindex: panel.hidden ? '-1' : '0' });
    }
    chosen(wanted);
  };
  for (const [at, { name, head }] of tabs.entries()) {
    head.onclick = () => choose(name);
    const go = (step: number): void => {
      const next = tabs.at((at + step) % tabs.length)!;
      choose(next.name);
      next.head.focus();
    };
    const keys = { ArrowLeft: () => go(-1), ArrowRight: () => go(1) }; // WAI-ARIA tabs pattern
    head.onkeydown = (pressed) => pressKey(pressed, keys);
  }
  const bar = mark(make('div', 'tabs', ...tabs.map(({ head }) => head)), {
    role: 'tablist',
    'aria-label': label,
  });
  return { parts: [bar, ...tabs.map(({ panel }) => panel)], choose };
}
