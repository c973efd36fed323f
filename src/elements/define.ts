import { checkoutElement } from './checkout-element.ts';
import { receivesElement } from './receives-element.ts';

/**
 * Defines `<paystate-checkout>`. Nothing happens where there is no document, as on a server, or where
 * it is defined already.
 *
 * @example
 * defineElements();
 */
export function defineElements(): void {
  define('paystate-checkout', checkoutElement);
}

/**
 * Defines `<paystate-receives>`, on its own, so that a page with a checkout alone does not load it.
 *
 * @example
 * defineReceives();
 */
export function defineReceives(): void {
  define('paystate-receives', receivesElement);
}

function define(name: string, classOf: () => CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return;
  customElements.define(name, classOf());
}
