import {
  type CheckoutAttributes,
  type CheckoutElement,
  checkoutElement,
  type CheckoutEvents,
  type CheckoutProperties,
} from './checkout-element.ts';
import type { DevtoolsElement, DevtoolsProperties } from './devtools-tag.ts';
import { defineOnce } from './element-class.ts';
import {
  payButton,
  type PayButtonAttributes,
  type PayButtonElement,
  type PayButtonProperties,
} from './pay-button.ts';
import {
  type ReceivesElement,
  receivesElement,
  type ReceivesEvents,
  type ReceivesProperties,
} from './receives-element.ts';

interface Tag<Element, Properties, Attributes, Events> {
  element: Element;
  properties: Properties;
  attributes: Attributes;
  events: Events;
}

/** Each element by its tag. All types are made of this: those of pages, and of each framework. */
export interface ElementTags {
  /** A whole checkout of an invoice. */
  'paystate-checkout': Tag<CheckoutElement, CheckoutProperties, CheckoutAttributes, CheckoutEvents>;
  /** A button that makes an order and shows its checkout in a dialog. */
  'paystate-pay-button': Tag<
    PayButtonElement,
    PayButtonProperties,
    PayButtonAttributes,
    CheckoutEvents
  >;
  /** A list of everything that a receive request has received. */
  'paystate-receives': Tag<ReceivesElement, ReceivesProperties, object, ReceivesEvents>;
  /** A view of a client's work, for whoever writes the page; see `paystate/devtools`. */
  'paystate-devtools': Tag<DevtoolsElement, DevtoolsProperties, object, object>;
}

type ElementsByTag = { [Name in keyof ElementTags]: ElementTags[Name]['element'] };

declare global {
  interface HTMLElementTagNameMap extends ElementsByTag {}
}

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
