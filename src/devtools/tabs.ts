import { make, mark } from '../elements/dom.ts';

/** One of several views. */
export interface Tab {
  readonly name: string;
  readonly panel: HTMLElement;
  /** Draws it as things stand now. */
  show(): void;
}

/** The bar of tabs, their panels, and what chooses one by its name. */
interface Tabs {
  readonly bar: HTMLElement;
  readonly panels: readonly HTMLElement[];
  choose(name: string): void;
}

/** Steps of the arrow keys (WAI-ARIA APG, tabs). */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs by keyboard and pointer; the first is in front. `chosen` hears of each that comes there. */
export function makeTabs(tabs: readonly Tab[], chosen: (tab: Tab) => void): Tabs {
  const heads = tabs.map(({ name }, at) =>
    mark(make('button', 'tab', name), {
      role: 'tab',
      id: `tab-${at}`,
      'aria-controls': `panel-${at}`,
    }),
  );
  const panels = tabs.map(({ panel }, at) =>
    mark(make('div', 'panel', panel), {
      role: 'tabpanel',
      id: `panel-${at}`,
      tabindex: '0',
      'aria-labelledby': `tab-${at}`,
    }),
  );
  const choose = (at: number): void => {
    heads.forEach((head, index) =>
      mark(head, { 'aria-selected': `${index === at}`, tabindex: index === at ? '0' : '-1' }),
    );
    panels.forEach((panel, index) => (panel.hidden = index !== at));
    chosen(tabs[at]!);
  };
  heads.forEach((head, at) => {
    head.onclick = () => choose(at);
    head.onkeydown = ({ key }) => {
      const step = STEPS[key];
      if (!step) return;
      const next = (at + step + heads.length) % heads.length;
      choose(next);
      heads[next]!.focus();
    };
  });
  choose(0);
  const bar = mark(make('div', 'tabs', ...heads), { role: 'tablist' });
  return { bar, panels, choose: (name) => choose(tabs.findIndex((tab) => tab.name === name)) };
}
