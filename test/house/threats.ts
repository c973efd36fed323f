// What strangers could try, and the test that covers it. `npm run tables` writes the list into
// .github/SECURITY.md; a test checks that each file contains its title.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

export interface Threat {
  readonly threat: string;
  readonly file: string;
  /** Title of the test, as it stands in the file. */
  readonly title: string;
}

type Covered = readonly [threat: string, title: string];

/** By test file: the threat in plain words, and the title of its test. */
const COVERED: Readonly<Record<string, readonly Covered[]>> = {
  'test/unit/core/secrets.test.ts': [
    [
      'an API key is put into a web page',
      'a key is refused in a page, unless somebody imported the permission',
    ],
    [
      "a key with a line break ends up in a runtime's error text",
      'that no header can hold is refused without an echo',
    ],
  ],
  'test/long/hostile.test.ts': [
    ['a secret shows in an error, a log or an inspected object', 'secrets'],
    ['arguments change the path, the headers or the filter of a request', 'arguments'],
    ['response bodies make the process crash, hang or run out of memory', 'bodies'],
    ['long texts make a parser slow', 'parsers'],
    ['a request that nobody has signed is kept, or ends the subscription', 'deliveries'],
    ['the package brings more files, dependencies or scripts than intended', 'package'],
  ],
  'test/unit/testing/recorder.test.ts': [
    [
      'a recording of what a client sent holds a credential or a token',
      'keeps no credential, password, token or secret, whoever repeats them',
    ],
  ],
  'test/unit/core/addresses.test.ts': [
    [
      'a base address without encryption, or with credentials in it',
      'refuses everything else, without an echo',
    ],
    ['an id leads to another path', 'stays one segment, whatever it holds'],
  ],
  'test/unit/core/where.test.ts': [
    [
      'a value changes the meaning of a filter',
      'says what was meant, whatever the values hold: 3,000 drawn ones',
    ],
  ],
  'test/unit/core/answers.test.ts': [
    ['a redirect takes the credential elsewhere', 'redirects are never followed'],
    [
      'a response of any length fills the memory',
      'a body over the cap is not read on, whatever its headers say',
    ],
    [
      "the service's text for developers is shown to users",
      "the service's own text for developers is not shown",
    ],
  ],
  'test/unit/resources/unsafe-members.test.ts': [
    [
      'a response changes the prototype of objects',
      'are in nothing that a caller gets, while what the service adds stays',
    ],
  ],
  'test/unit/core/schedules.test.ts': [
    [
      'an idempotency key is used for another request',
      'C15: belongs to one body: another one under it is refused before anything is sent',
    ],
  ],
  'test/house/paying-loop.test.ts': [
    [
      'a lost response leads to a second payment',
      'tells the truth where this is lost: ${name}, and ${firstCheck} is checked first',
    ],
  ],
  'test/house/amounts.test.ts': [
    ['an amount is rounded by floating-point arithmetic', 'are reckoned with in src/money only'],
  ],
  'test/unit/flows/checkout.test.ts': [
    [
      'a checkout shows a code with another amount, network or purpose',
      'shows no code that is not what was asked for: ${problem}',
    ],
    [
      'the payee changes between two codes',
      'blocks when the payee changes from one code to the next',
    ],
  ],
  'test/unit/lightning/lnurl.test.ts': [
    [
      'a pasted LNURL leads into the inner network',
      'never leads to clear text, secrets or the inner network',
    ],
  ],
  'test/unit/lightning/first-field.test.ts': [
    [
      'a field appended to an invoice replaces the first one',
      'counts as it stands first: hash, secret, description, end, payee and all others',
    ],
  ],
  'test/unit/oauth/secrets.test.ts': [
    [
      'a token of a login shows in an error',
      'is in no error, whatever the login server or the network does',
    ],
  ],
  'test/unit/oauth/login.test.ts': [
    [
      'a login is started or finished by somebody else',
      'refuses another state, none, another issuer, none, and an implicit token; each spoils the way back',
    ],
    [
      'a client secret is put into a web page',
      'never takes a client secret in a page, unless somebody imported the permission',
    ],
  ],
  'test/unit/oauth/renewal.test.ts': [
    [
      'a stolen refresh token is used',
      'because a stolen refresh token was used: both holders are out',
    ],
  ],
  'test/unit/webhooks/verify.test.ts': [
    [
      'a signature is checked over a body that was parsed and written again',
      'checks the bytes as they came: escapes, key order, number forms and characters beyond ASCII',
    ],
    [
      'a delivery of any length fills the memory',
      'reads no more than its limit, whatever the headers say',
    ],
    ['another account signs a delivery', 'W10: refuses what another account signed'],
  ],
  'test/unit/webhooks/receive.test.ts': [
    [
      'a receiver answers 410 or 501 and ends its subscription',
      'are no others than those allowed, for a thousand requests made up by chance',
    ],
  ],
  'test/unit/webhooks/inbox.test.ts': [
    [
      'recorded deliveries are sent again',
      'are harmless when a whole capture is played again, also after the ids are forgotten',
    ],
    [
      'a signed delivery claims to be a stored job',
      'is never that it is a job: the handler gets what was read, whatever the id looks like',
    ],
  ],
  'test/edge/relay.test.ts': [
    [
      'a forged delivery is acted upon',
      'acts on no delivery that is not signed, and never answers 410 or 501',
    ],
    ['a delivery is acknowledged and then lost', 'ships what it had acknowledged before it died'],
    [
      'a socket goes on after its token has expired',
      'closes sockets whose token is over, before it says anything more',
    ],
    ['a page sends garbage over its socket', 'survives whatever a page sends'],
    ['the relay gives a page a secret', 'has said no secret to any page'],
  ],
  'test/e2e/goods.test.ts': [
    [
      'a stranger pays one cent under the name of an order',
      'do not go out for a cent that a stranger pays into the account under the name of an order',
    ],
  ],
  'test/unit/relay/gateway.test.ts': [
    ['another web site uses the relay', 'serves pages of the shop only'],
    [
      'a page gets members of a resource that are not meant for it',
      'hides what the service adds, however deep',
    ],
    ['a page uses the relay as a proxy', 'lets two rows through and no other'],
  ],
  'test/unit/relay/tokens.test.ts': [
    ['a page makes or changes a token', 'are believed only as we make them'],
  ],
  'test/unit/relay/live.test.ts': [
    [
      'a token stands in an address and is logged',
      'opens one socket, with its token where no log sees it',
    ],
  ],
  'test/edge/relay-flood.test.ts': [
    [
      'a path reaches another endpoint of the service',
      'that is no id, sent byte by byte, reaches nothing at the service',
    ],
    [
      'a flood of orders uses up the rate limit',
      'of orders makes invoices up to a share of the limit, and customers with an order are served',
    ],
    [
      'a flood of reads uses up the rate limit',
      'of looks at what is not there uses up its share and no more, and open pages hear of what changes',
    ],
  ],
  'test/e2e/worker-example.test.ts': [
    ['a page decides the price', 'takes no price from a page, and nothing that it does not sell'],
    [
      'one address orders without end',
      'takes ten orders a minute from one address, and orders of its own pages only',
    ],
  ],
  'test/e2e/sandbox-server.test.ts': [
    [
      'a web page controls the sandbox command',
      'is for this machine only: other names for it, other pages and unasked control are refused',
    ],
    [
      'a real key is given to the sandbox command',
      'refuses keys that look real, says so, and shows no part of them',
    ],
    [
      'the sandbox command sends requests to other machines',
      'delivers to this machine only, unless another host is named',
    ],
  ],
  'test/house/record-bodies.test.ts': [
    [
      'the page of the sandbox command shows a secret that was sent to it',
      'hold no secret: of webhooks, of banks, of the login',
    ],
  ],
  'test/e2e/sandbox-page.test.ts': [
    [
      'a stored text runs as a script in the page of the command',
      'runs nothing of others: no inline script, no frame around it, and the control still for no other page',
    ],
  ],
  'test/e2e/sandbox-state.test.ts': [
    [
      'other users of the machine read the file of a sandbox',
      'is for its owner alone, holds no foreign key, and ends rather than share its file',
    ],
  ],
  'test/house/imports.test.ts': [
    ['a dependency spreads through the code', 'take each package only where it belongs'],
  ],
  'test/house/package.test.ts': [
    ['installing the package runs something', 'runs nothing when it is installed'],
  ],
  'test/house/quiet-import.test.ts': [
    ['importing the package changes globals', 'changes nothing, whichever entry'],
  ],
};

export const threats: readonly Threat[] = Object.entries(COVERED).flatMap(([file, covered]) =>
  covered.map(([threat, title]) => ({ threat, file, title })),
);

/** Threats whose test is not there under its title. */
export const untested = (): readonly Threat[] =>
  threats.filter(({ file, title }) => {
    const text = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
    return !["'", '"', '`'].some((quote) => text.includes(quote + title + quote));
  });
