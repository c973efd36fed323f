// Puts a service in a box on a loopback port, for clients that live in another process: what the command does too.
export { serveSandbox } from '../dist/cli/serve-sandbox.js';
