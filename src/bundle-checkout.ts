// Content of the single file for pages whose shop has a relay: a checkout and a pay button, without
// the rest of the client and without the sandbox.
export { defineElements, definePayButton } from './elements/index.ts';
export { createConnection } from './index.ts';
