// Puts a service in a box on a loopback port, for clients that live in another process.
import { serve } from './loopback.mjs';

/** Serves `sandbox.fetch`; a fault that loses an answer breaks the connection. */
export const serveSandbox = (sandbox, options) => serve((request) => sandbox.fetch(request), options);
