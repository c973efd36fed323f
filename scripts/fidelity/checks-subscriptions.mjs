// Checks of subscriptions.
import { asRead } from './json.mjs';
import { check, same } from './verdict.mjs';

const LIST = '/v1/subscriptions';

/** Room for others: an account has at most fifty. */
const without = async (stage, { id }) =>
  stage.ask('DELETE /v1/subscriptions/{id}', { values: { id } });

/** An answer does not hold the secret. */
export const secretless = (callOf, body) => async (stage) => {
  const made = await stage.make('subscription');
  const { status, text } = await stage.ask(callOf(made.id), { body });
  check(status === 200, 200, text);
  check(!/a-secret-of-30/.test(text) && !/"secret"/.test(text), 'no secret', text);
  await without(stage, made);
};

export const listOfSubscriptions = () => async (stage) => {
  const made = await stage.make('subscription');
  const list = await stage.get(LIST);
  check(Array.isArray(list), 'a bare list', list);
  same(asRead(made), asRead(list.find(({ id }) => id === made.id) ?? list));
  await without(stage, made);
};

/** A change of some members shows them, and leaves all others. */
export const patches =
  (body, shown = body) =>
  async (stage) => {
    const made = await stage.make('subscription');
    const { status, json, text } = await stage.ask('PATCH /v1/subscriptions/{id}', {
      values: made,
      body,
    });
    check(status === 200, 200, text);
    const wanted = { ...made, ...shown };
    const sorted = (one) => Object.entries(asRead(one)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    same(sorted(wanted), sorted(json));
    const again = await stage.get('/v1/subscriptions/{id}', { values: made });
    same(sorted(wanted), sorted(again));
    await without(stage, made);
  };
