export type { CheckoutElement, CheckoutProperties } from './checkout-element.ts';
export { defineElements } from './define.ts';
export { qrSvg, type QrOptions } from './qr-svg.ts';
export { elementsEn, type ElementTexts } from './texts.ts';
