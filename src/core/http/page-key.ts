/**
 * Has to be imported to be used: lets an API key work where a `document` exists. For sandboxes and
 * tests.
 */
export const allowSecretInBrowser: unique symbol = Symbol('paystate.allowSecretInBrowser');
