export type {
  CheckoutAttributes,
  CheckoutElement,
  CheckoutEvents,
  CheckoutProperties,
} from './checkout-element.ts';
export type { ReceivesElement, ReceivesEvents, ReceivesProperties } from './receives-element.ts';
export { defineElements, defineReceives } from './define.ts';
export { qrSvg, type QrOptions } from './qr-svg.ts';
export type { CheckoutTexts, ElementTexts, ReceivesTexts } from './texts.ts';
export type { ElementTags } from './tags.ts';
