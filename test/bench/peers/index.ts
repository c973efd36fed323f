// What paystate is compared with. The packages are those of this folder's package.json.
export { default as axios } from 'axios';
export { default as Big } from 'big.js';
export { default as bolt11 } from 'bolt11';
export { default as Decimal } from 'decimal.js-light';
export { default as ky } from 'ky';
export { decode as lightDecode } from 'light-bolt11-decoder';
export { createFetch } from 'ofetch';
export { default as OpenAI } from 'openai';
export { default as Stripe } from 'stripe';
