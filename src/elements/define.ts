import { checkoutElement } from './checkout-element.ts';
import { defineOnce } from './element-class.ts';
import { payButton } from './pay-button.ts';
import { receivesElement } from './receives-element.ts';

/**
 * Defines `<paystate-checkout>`. Nothing happens where there is no document, as on a server, or
 * where it is defined already.
 *
 * @example
 * defineElements();
 */
export function defineElements(): void {
  defineOnce('paystate-checkout', checkoutElement);
}

/**
 * Defines `<paystate-receives>`, on its own, so that a page with a checkout alone does not load it.
 *
 * @example
 * defineReceives();
 */
export function defineReceives(): void {
  defineOnce('paystate-receives', receivesElement);
}

/**
 * Defines `<paystate-pay-button>`, and `<paystate-checkout>`, which its dialog shows. On its own,
 * so that a page with a checkout alone does not load it.
 *
 * @example
 * definePayButton();
 */
export function definePayButton(): void {
  defineElements();
  defineOnce('paystate-pay-button', payButton);
}
