// Checks of several steps that only one or two facts need.
import { checkRefusal } from './checks.mjs';
import { fresh } from './stage.mjs';

/** The second invoice of a correlation value. */
export const twiceTheSameName = (status, code) => async (stage) => {
  const correlationId = fresh('twice');
  await stage.json('invoice', { set: { correlationId } });
  const again = await stage.request('invoice', { set: { correlationId } });
  checkRefusal(again, status, code, { correlationId });
};

/** An `authorization` header that is refused: a text, or made from the key. */
export const refusedKey = (header) => async (stage) => {
  const authorization = typeof header === 'string' ? header : header(await stage.keyOf());
  const response = await stage.ask('GET /v1/balances', { as: null, headers: { authorization } });
  checkRefusal(response, 401, 'UNAUTHORIZED');
};
