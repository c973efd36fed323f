// Meanings of the short names in titles and comments of tests. `npm run generate -- tables` writes
// them into test/README.md; a test compares them with the names that are cited.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

/** C: commands whose response is lost. W: webhooks. N: a whole story. T: hostile input. */
export const SCHEDULES: Readonly<Record<string, string>> = {
  C1:
    'An invoice is created without a `correlationId`, and the response is lost. The SDK chose a ' +
    'name before it sent the first byte, so it repeats the request under that name. One invoice ' +
    'exists afterwards, and its name is in the result or in the error.',
  C2:
    'A `correlationId` is used for a second order that looks like the first one. The first ' +
    'attempt already hears that the name is taken. That is an error: the older invoice is never ' +
    'returned as the new one, however equal the two are.',
  C3:
    'The first attempt never arrives, the second one hears that the name is taken, and the ' +
    'invoice found is older than the call. It is not the result of this call. Age is measured by ' +
    "the service's clock with two minutes of tolerance. `ensure` is the exception: it may " +
    'return an older invoice.',
  C4:
    'The same name is used with another amount or description, for instance after the cart ' +
    'changed. The error shows the invoice that exists, because it can still be paid.',
  C5:
    'The name is taken, but the existing invoice cannot be read: the list lags behind, a scope ' +
    'is missing, or reads are blocked. The error says that something exists and could not be ' +
    'read. It never says that nothing was created.',
  C6:
    'The existing invoice is no longer payable, for instance cancelled. `ensure` returns it with ' +
    'its present state, and the caller decides.',
  C7:
    'An idempotency key is sent again, after a lost response or after a reload. The original is ' +
    'read and compared, and its state is known before anything is executed.',
  C8:
    'A deposit debits a bank when it is created, and the service promises no lifetime for keys. ' +
    'The same key is sent again only within ten minutes of its first use. After that the outcome ' +
    'is unknown and the original is only looked for.',
  C9:
    'Two payouts look the same in a list: same method, amount and reference. After a lost ' +
    "response neither may claim the other's payout, so the creation is not repeated and the " +
    'error says that something may exist.',
  C10:
    'A second payout that was only created moves no money; initiating it does. Creating a new ' +
    'payout is therefore safe as long as one payout is initiated for each intent.',
  C11:
    'The response to a request without lasting effect is lost: a quote of an invoice, a list of ' +
    'fee tiers, a fee estimate. It is simply sent again.',
  C12:
    'A subscription is created at every start of a process, sometimes with a lost response. ' +
    'Existing subscriptions are listed first, so there is one for each address.',
  C13:
    'A payment quote is asked for again and the service answers that the key was used. The id is ' +
    'known, the price and the fee are not, so that quote is not used. The next request for a ' +
    'quote has a key of its own.',
  C14:
    'A 4xx response comes from a proxy and not from the service: it has no envelope with a code. ' +
    'For a command that is an unknown outcome, not a refusal.',
  C15:
    'A key belongs to one request body. A corrected body under the same idempotency key is ' +
    'refused before it is sent. What is remembered for this is a number for each body, with an ' +
    'upper limit. A `correlationId` may be used again after a clean refusal.',
  W1:
    'Two events of one invoice are both processed after it was paid. The paid state has one ' +
    'effect, not one for each event.',
  W2:
    'An event announces a state, but the read reaches a replica that still shows the state ' +
    'before. The inbox reads again until the announced state is visible or can be ruled out.',
  W3:
    'The process stops after a handler ran and before that was recorded. The handler runs again, ' +
    'with the same key, so that the receiver can recognise the repetition.',
  W4:
    'The reverse order, recording first and running the handler second, would lose the effect if ' +
    'the process stopped in between. It must not happen.',
  W5:
    'The list of known event ids prevents an event from being stored twice. It must not prevent ' +
    'stored work from being done after a crash.',
  W6:
    'A webhook and an alarm start processing at the same time. A lease makes sure that each row ' +
    'is processed by one of them.',
  W7:
    'A handler fails every time. It is repeated with growing delays, each failure is reported, ' +
    'and in the end its effect is set aside for a person to look at.',
  W8:
    'The object is killed while its alarm works, and no code of its own runs any more. The next ' +
    'alarm was set before anything else, so it goes on without anybody asking.',
  W9:
    'The process stops between keeping an event and responding to it. The service repeats the ' +
    'delivery, and what was kept is done once.',
  W10: 'A delivery was signed with the secret of another account. It is rejected with 401.',
  W11:
    'The secret was replaced, and a late retry is still signed with the old one. It is accepted ' +
    'as long as the old secret is configured.',
  W12:
    'One event cannot be processed. New events are still recorded and processed. Only the mark ' +
    'of what was completely handled stays behind, and this is reported on day 25, before the ' +
    "service's history ends on day 30.",
  W13:
    'A room is deleted and made anew, and a page asks for what it missed after number 17 of a ' +
    'room that has come to 3. Every room has a name of its own, so the page is sent everything.',
  W14:
    'A page hears a beat from a room whose messages it has lost. Each beat says the newest ' +
    'number, so the page notices and asks.',
  W15:
    'A thousand rooms ask the service, and none knows of the requests of the others. Rooms ask ' +
    'the account object only, and one request serves all of its pages.',
  W16:
    'A read has to wait for the rate limit for longer than five seconds. It is not waited for in ' +
    'memory: the event stays in the store, and the inbox says when to come back.',
  N4:
    'Deliveries are lost, doubled, late and in any order, the receiver is down for two hours, ' +
    'and the process stops at different points. Webhooks and event feed together still bring ' +
    'every paid invoice to its handler, with one effect each.',
  T1:
    'Invoices are watched through trouble, a hundred in each world. No state goes back unless it says so, ' +
    'nobody hears anything after leaving, and in the end all is as the service says.',
  T2:
    'Lives of one intent by every rail: processes die at any step, two work at once, the network lies. ' +
    'By the service’s books nothing is done twice, and nothing is said that is not so.',
  T3:
    'The event feed is read from a service with every habit that its description allows: short pages, ' +
    'no count, no order, no time, late and misdated events. Each event comes once, or a gap is told.',
  T7:
    'A hundred thousand requests made up by chance come to the address of the webhooks: methods, ' +
    'headers, bodies, signatures, a store that fails. No other status than the listed ones is ' +
    'answered, and nothing is kept that is not signed.',
  T8:
    'Hostile response bodies: broken, huge, deep, slow, of the wrong type. They come as success, ' +
    'as refusal and as webhook, in a process with little memory. Every failure has a type and ' +
    'keeps its HTTP status.',
  T9:
    'Every operation is called with 500 awkward texts wherever it takes a text. The request ' +
    'keeps its form, or nothing is sent and the error has a type.',
  T10:
    'A recognisable text stands in every place that holds a secret. It is then searched for in ' +
    'everything that was thrown, logged, printed, cloned or sent.',
  T15:
    'Every function that reads a text gets long ones. The time it takes may grow with the length ' +
    'and no faster.',
  T17:
    'The published package is what was intended: its files, its dependencies, no install ' +
    'scripts, and entries whose import changes nothing.',
};

/** They repeat names and titles, and cite nothing. */
const LISTS: readonly string[] = ['test/house/schedules.ts', 'test/house/threats.ts'];

const CITED = /(?<![\w%$}\\.-])[CEKNTWX][1-9]\d?(?![\w.%-])/g;

const searched = (): readonly string[] =>
  globSync('{src,test,scripts}/**/*.{ts,mjs}', { cwd: root, exclude: ['**/node_modules/**'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !LISTS.includes(file))
    .sort();

/** Each name that is cited in src, test or scripts, with the files that cite it. */
export function citations(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of searched())
    for (const name of new Set(readFileSync(join(root, file), 'utf8').match(CITED) ?? []))
      found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}
