// What a page without a bundler loads as one file: the client, a checkout, its code, money as text,
// RxJS, and the service to try it on.
export * from './index.ts';
export { defineElements, qrSvg } from './elements/index.ts';
export { checkout, type CheckoutView, countdown } from './flows/index.ts';
export { formatMoney, money } from './money/index.ts';
export * as rx from './rx/index.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
