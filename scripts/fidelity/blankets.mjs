// Distortions of everything: a fact that stays true under each of them proves nothing.

const answer =
  (status, text, type = 'application/json') =>
  () =>
  async () =>
    new Response(text, { status, headers: { 'content-type': type } });
const LIMITED = { code: 'RATE_LIMIT_EXCEEDED', status: 429, message: 'Rate limit exceeded' };
const ERROR = { code: 'INTERNAL_SERVER_ERROR', status: 500, message: 'Unexpected problem' };

/** Under each of these every fact must be false once: one that never is proves nothing. */
export const blankets = [
  { name: 'everything fails', wrap: answer(500, JSON.stringify({ data: ERROR })) },
  { name: 'everything is an empty success', wrap: answer(200, '{}') },
  { name: 'everything is an empty list', wrap: answer(200, '[]') },
  { name: 'everything is a page', wrap: answer(200, '<html></html>', 'text/html') },
  { name: 'everything is blocked', wrap: answer(429, JSON.stringify({ data: LIMITED })) },
  { name: 'webhooks get lost', changeDelivery: () => [] },
  { name: 'webhooks come twice', changeDelivery: (got) => [got, got] },
];
