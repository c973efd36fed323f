import { make } from './dom.ts';

/**
 * Prints only the card. It's copied into a hidden frame, without the content of the shop's slots.
 */
export function printAlone(card: HTMLElement): void {
  const { adoptedStyleSheets } = card.getRootNode() as ShadowRoot;
  const rules = adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules]);
  const frame = make('iframe', 'printed');
  Object.assign(frame.style, { position: 'fixed', width: 0, height: 0, border: 0 });
  frame.ariaHidden = 'true';
  document.body.append(frame);
  const page = frame.contentWindow as Window & typeof globalThis;
  const look = new page.CSSStyleSheet();
  look.replaceSync(rules.map(({ cssText }) => cssText).join('\n'));
  page.document.adoptedStyleSheets = [look];
  page.document.title = document.title;
  page.document.body.append(card.cloneNode(true));
  page.onafterprint = () => frame.remove();
  page.print();
}
