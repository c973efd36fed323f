// Entry point for the standalone script for pages whose shop runs a relay. It contains the checkout
// and the pay button, without the sandbox and the rest of the client.
export { defineElements, definePayButton } from './elements/index.ts';
export { createConnection } from './index.ts';
