export type {
  CheckoutAttributes,
  CheckoutElement,
  CheckoutEvents,
  CheckoutProperties,
} from './checkout-element.ts';
export type { PayButtonAttributes, PayButtonElement, PayButtonProperties } from './pay-button.ts';
export type { CreateOrder, PayableOrder } from './pay-order.ts';
export type { ReceivesElement, ReceivesEvents, ReceivesProperties } from './receives-element.ts';
export { defineElements, definePayButton, defineReceives } from './tags.ts';
export { qrSvg, type QrOptions } from './qr-svg.ts';
export type { CheckoutTexts, ElementTexts, PayButtonTexts, ReceivesTexts } from './texts.ts';
export type { ElementTags } from './tags.ts';
