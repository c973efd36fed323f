// Draws the shadow DOM of <manual-program>, with its buttons, editor, output and frame.

export const STYLE = `
:host { display: block; margin: 16px 0; }
[hidden] { display: none !important; }
[part=tools], [part=command] { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; font-size: 14px; }
button { min-height: 32px; padding: 4px 12px; border: 1px solid var(--vp-c-divider); border-radius: 8px; background: transparent; color: var(--vp-c-text-1); font: inherit; cursor: pointer; }
button:hover { border-color: var(--vp-c-text-1); }
button[part~=run] { border-color: var(--vp-c-brand-3); background: var(--vp-c-brand-3); color: var(--vp-c-white); }
:focus-visible { outline: 2px solid var(--vp-c-brand-1); outline-offset: 2px; }
[part=status] { color: var(--vp-c-text-2); font-variant-numeric: tabular-nums; }
textarea, [part=output] { box-sizing: border-box; width: 100%; margin: 0; padding: 12px 16px; border: 1px solid var(--vp-c-divider); border-radius: 8px; font: 13px/1.6 var(--vp-font-family-mono); color: var(--vp-c-text-1); background: var(--vp-c-bg-alt); }
textarea { resize: vertical; white-space: pre; overflow-x: auto; tab-size: 2; }
[part=output] { max-height: 320px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
[part=output] .error { color: var(--vp-c-danger-1); }
[part=link] { box-sizing: border-box; width: 100%; padding: 4px 8px; border: 1px solid var(--vp-c-divider); border-radius: 8px; font: 13px var(--vp-font-family-mono); color: var(--vp-c-text-1); background: var(--vp-c-bg-alt); }
[part=place] iframe { width: 100%; height: 640px; margin-top: 8px; border: 1px solid var(--vp-c-divider); border-radius: 8px; background: var(--vp-c-bg); }
[part=place] iframe.module { display: none; }
[part=command] { color: var(--vp-c-text-2); }
[part=command] code { padding: 2px 6px; border-radius: 4px; background: var(--vp-code-bg); color: var(--vp-c-text-1); font: 13px var(--vp-font-family-mono); }
`;

type Attributes = Readonly<Record<string, string>>;

function make(tag: string, attributes: Attributes, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const button = (part: string, text: string, hidden = false): HTMLElement =>
  make('button', { type: 'button', part, ...(hidden && { hidden: '' }) }, text);

function draw(): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(
    make('div', { part: 'written' }, make('slot', {})),
    make('textarea', {
      part: 'code',
      hidden: '',
      spellcheck: 'false',
      autocapitalize: 'off',
      autocomplete: 'off',
      'aria-label': 'The program',
    }),
    make(
      'div',
      { part: 'tools', hidden: '' },
      button('run', 'Run'),
      button('stop', 'Stop', true),
      button('edit', 'Edit'),
      button('share', 'Share'),
      make('span', { part: 'status', role: 'status' }),
    ),
    make('input', { part: 'link', readonly: '', hidden: '', 'aria-label': 'Link to this program' }),
    make('pre', {
      part: 'output',
      hidden: '',
      tabindex: '0',
      'aria-label': 'Output of the program',
    }),
    make('div', { part: 'place' }),
  );
  return fragment;
}

/** Shows the command to run below a program that can't run in a page. */
function showCommand(shadow: ShadowRoot, command: string): void {
  shadow.append(
    make(
      'p',
      { part: 'command' },
      'This page can’t run the program. On your machine, use ',
      make('code', {}, command),
    ),
  );
}

export const PARTS = { draw, showCommand };
