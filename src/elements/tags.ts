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

/** Each element by its tag. The types for pages and for each framework are derived from this. */
export interface ElementTags {
  /** A whole checkout of an invoice. */
  'paystate-checkout': Tag<CheckoutElement, CheckoutProperties, CheckoutAttributes, CheckoutEvents>;
  /** A button that creates an order and shows its checkout in a dialog. */
  'paystate-pay-button': Tag<
    PayButtonElement,
    PayButtonProperties,
    PayButtonAttributes,
    CheckoutEvents
  >;
  /** A list of everything that a receive request has received. */
  'paystate-receives': Tag<ReceivesElement, ReceivesProperties, object, ReceivesEvents>;
  /** A developer's view of what a client is doing. See `paystate/devtools`. */
  'paystate-devtools': Tag<DevtoolsElement, DevtoolsProperties, object, object>;
}

type ElementsByTag = { [Name in keyof ElementTags]: ElementTags[Name]['element'] };

declare global {
  interface HTMLElementTagNameMap extends ElementsByTag {}
}

/**
 * Defines `<paystate-checkout>`. Does nothing without a document, as on a server, or if it's
 * already defined.
 *
 * @example
 * defineElements();
 */
export function defineElements(): void {
  defineOnce('paystate-checkout', checkoutElement);
}

/**
 * Defines `<paystate-receives>`. It's separate, so a page with only a checkout doesn't load it.
 *
 * @example
 * defineReceives();
 */
export function defineReceives(): void {
  defineOnce('paystate-receives', receivesElement);
}

/**
 * Defines `<paystate-pay-button>`, and `<paystate-checkout>` for its dialog. It's separate, so a
 * page with only a checkout doesn't load it.
 *
 * @example
 * definePayButton();
 */
export function definePayButton(): void {
  defineElements();
  defineOnce('paystate-pay-button', payButton);
}
