export { fill, type Line } from '../../elements/lines.ts';

type Attributes = Readonly<Record<string, string>>;

/** Makes an element; texts stay texts, whatever they hold. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

/** A button; its name for those who hear it may say more than its text. */
export function buttonOf(label: string, name: string, press: () => void): HTMLButtonElement {
  const button = make(
    'button',
    { type: 'button', ...(name !== label && { 'aria-label': name }) },
    label,
  );
  button.addEventListener('click', press);
  return button;
}

/** The element of the page with this id. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Says something, without touching what says it already. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
