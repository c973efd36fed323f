// Looks at what the sandbox does where nothing says what is right.

const key = () => ({ 'idempotency-key': crypto.randomUUID() });

/** A key that another endpoint has seen. */
export const sharedKey = (first, second) => async (stage) => {
  const headers = key();
  await stage.json(first, { headers });
  return stage.request(second, { headers });
};

export const refusedFirst = () => async (stage) => {
  const headers = key();
  await stage.request('lightning', { headers, set: { sourceCurrency: 'DOGE' } });
  return stage.request('lightning', { headers });
};

export const unreadyPayout = () => async (stage) => {
  const { id } = await stage.make('pendingBank');
  return stage.request('payout', { set: { paymentMethodId: id } });
};

export const smallBearer = () => async (stage) =>
  stage.ask('GET /v1/balances', {
    as: null,
    headers: { authorization: `bearer ${await stage.keyOf()}` },
  });

const told = (text) => ({ status: 200, text });

export const crossRates = () => async (stage) => {
  const rows = await stage.thing('ticker');
  const cross = rows.filter(
    ({ sourceCurrency, targetCurrency }) => ![sourceCurrency, targetCurrency].includes('BTC'),
  );
  return told(`${cross.length} of ${rows.length} rates`);
};

export const eventWithout = () => async (stage) =>
  told(`${(await stage.make('event')).deliverySuccess}`);

export const pageSize = () => async (stage) => {
  for (let at = 0; at < 101; at++) await stage.request('invoice');
  return told(`${(await stage.get('/v1/invoices')).items.length} of more than a hundred rows`);
};
