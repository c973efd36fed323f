// One of several processes that share a login:  token.ts KIND PLACE OPTIONS
// It is given a token that was refused, and says which one it has instead.
import { createLogin, type LoginOptions } from 'paystate/oauth';
import { type Kind, openPlace } from './places.ts';

const [kind, place, options] = globalThis.process.argv.slice(2) as [Kind, string, string];
const { refused, ...rest } = JSON.parse(options) as LoginOptions & { readonly refused: string };
const { store, end } = await openPlace(kind, place);
console.log(await createLogin({ ...rest, store }).token({ refused }));
await end();
