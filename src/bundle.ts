// Content of the single file for pages without a bundler: the client, a checkout with its QR code,
// money formatting, RxJS, and the sandbox.
export * from './index.ts';
export { defineElements, definePayButton, qrSvg } from './elements/index.ts';
export { checkout, type CheckoutView, countdown } from './flows/index.ts';
export { formatMoney, money } from './money/index.ts';
export * as rx from './rx/index.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
