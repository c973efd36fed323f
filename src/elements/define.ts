import { checkoutElement } from './checkout-element.ts';

/**
 * Defines the custom elements: `<paystate-checkout>`. Nothing happens where there is no document, as
 * on a server, or where they are defined already.
 *
 * @example
 * defineElements();
 */
export function defineElements(): void {
  if (typeof customElements === 'undefined') return;
  const name = 'paystate-checkout';
  if (!customElements.get(name)) customElements.define(name, checkoutElement());
}
