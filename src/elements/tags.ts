import type {
  CheckoutAttributes,
  CheckoutElement,
  CheckoutEvents,
  CheckoutProperties,
} from './checkout-element.ts';
import type { DevtoolsElement, DevtoolsProperties } from './devtools-tag.ts';
import type { PayButtonAttributes, PayButtonElement, PayButtonProperties } from './pay-button.ts';
import type { ReceivesElement, ReceivesEvents, ReceivesProperties } from './receives-element.ts';

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
  /** What a receive request has received. */
  'paystate-receives': Tag<ReceivesElement, ReceivesProperties, object, ReceivesEvents>;
  /** What a client does, for whoever writes the page; see `paystate/devtools`. */
  'paystate-devtools': Tag<DevtoolsElement, DevtoolsProperties, object, object>;
}

type ElementsByTag = { [Name in keyof ElementTags]: ElementTags[Name]['element'] };

declare global {
  interface HTMLElementTagNameMap extends ElementsByTag {}
}
