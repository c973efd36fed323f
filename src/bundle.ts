// Entry point for the standalone script for pages without a bundler. It contains the client, the
// checkout with its QR code, money formatting, the RxJS functions and the sandbox.
export * from './index.ts';
export { defineElements, definePayButton, qrSvg } from './elements/index.ts';
export { checkout, type CheckoutView, countdown } from './flows/index.ts';
export { formatMoney, money } from './money/index.ts';
export * as rx from './rx/index.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
