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

/**
 * Types of all elements by tag name. The types for pages and for each framework are derived from
 * them.
 */
export interface ElementTags {
  /** The complete checkout for an invoice. */
  'paystate-checkout': Tag<CheckoutElement, CheckoutProperties, CheckoutAttributes, CheckoutEvents>;
  /** A button that creates an order and shows its checkout in a dialog. */
  'paystate-pay-button': Tag<
    PayButtonElement,
    PayButtonProperties,
    PayButtonAttributes,
    CheckoutEvents
  >;
  /** A list of all payments to a receive request. */
  'paystate-receives': Tag<ReceivesElement, ReceivesProperties, object, ReceivesEvents>;
  /** Developer tools that show what a client is doing. See `paystate/devtools`. */
  'paystate-devtools': Tag<DevtoolsElement, DevtoolsProperties, object, object>;
}

type ElementsByTag = { [Name in keyof ElementTags]: ElementTags[Name]['element'] };

declare global {
  interface HTMLElementTagNameMap extends ElementsByTag {}
}

/**
 * Defines the `<paystate-checkout>` element. Does nothing on a server or if the element is already
 * defined.
 *
 * @example
 * defineElements();
 */
export function defineElements(): void {
  defineOnce('paystate-checkout', checkoutElement);
}

/**
 * Defines the `<paystate-receives>` element. It's a separate function, so pages with only a
 * checkout don't load the element.
 *
 * @example
 * defineReceives();
 */
export function defineReceives(): void {
  defineOnce('paystate-receives', receivesElement);
}

/**
 * Defines the `<paystate-pay-button>` element, and `<paystate-checkout>` for its dialog. It's a
 * separate function, so pages with only a checkout don't load the button.
 *
 * @example
 * definePayButton();
 */
export function definePayButton(): void {
  defineElements();
  defineOnce('paystate-pay-button', payButton);
}
