// The checks of a kind of store, in whichever runtime this runs:  check.ts KIND PLACE
import { checkInboxStore, checkStore } from 'paystate/testing';
import { type Kind, openPlace } from './places.ts';
import { checkRateLimitStore } from './rates.ts';

const [kind, place] = globalThis.process.argv.slice(2) as [Kind, string];
const both = [await openPlace(kind, place), await openPlace(kind, place)];
let opened = 0;
const next = () => both[opened++ % 2]!;
await checkStore(() => next().store);
await checkInboxStore(() => next().inbox, both[0]!.beside);
await checkRateLimitStore(() => next().rates);
for (const one of both) await one.end();
console.log('fit for use');
