// Distortions of webhooks on their way.

const body = (change) => (got) => {
  const parsed = JSON.parse(got.body);
  change(parsed);
  return { ...got, body: JSON.stringify(parsed) };
};
const headers = (change) => (got) => {
  const given = { ...got.headers };
  change(given);
  return { ...got, headers: given };
};
const SIGNATURE = 'x-webhook-signature';
let attempts = 0;

export const deliveryLies = [
  [
    'signatures are in small letters',
    headers((given) => void (given[SIGNATURE] = given[SIGNATURE].toLowerCase())),
  ],
  [
    'signatures have a prefix',
    headers((given) => void (given[SIGNATURE] = `sha256=${given[SIGNATURE]}`)),
  ],
  [
    'signatures are of something else',
    headers(
      (given) =>
        void (given[SIGNATURE] = given[SIGNATURE].replace(/./, (one) => (one === 'A' ? 'B' : 'A'))),
    ),
  ],
  ['bytes are not those that were signed', (got) => ({ ...got, body: `${got.body} ` })],
  ['webhooks have no type', headers((given) => void delete given['content-type'])],
  ['webhooks tell their success', body((event) => void (event.deliverySuccess = true))],
  ['webhooks carry values', body((event) => void (event.data.state = 'UNPAID'))],
  ['webhooks are of version 1 always', body((event) => void (event.webhookVersion = 'v1'))],
  ['webhooks come twice', (got) => [got, got]],
  [
    'retries have a header more',
    headers(
      (given) =>
        void ((given['x-retry'] = `${++attempts}`), attempts % 2 && delete given['x-retry']),
    ),
  ],
  ['retries have another id', body((event) => void (event.id = crypto.randomUUID()))],
];
