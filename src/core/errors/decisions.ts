import {
  CODE_ROWS,
  type CodeRow,
  type KnownCode,
  findMeaning,
  type Next,
  type Outcome,
} from './codes.ts';
import { checkArgument } from './arguments.ts';
import { type ErrorCode, type ErrorFacts, isPaystateError, type PaystateError } from './errors.ts';

const REPEATS = [
  'safe',
  'pure',
  'client-id',
  'key-then-read',
  'key-then-read-money',
  'key-only',
  'same-request',
  'convergent',
  'none',
] as const;

/**
 * The rule for sending a command again after a lost response:
 * - `safe`: a read; at any time
 * - `pure`: a command without an effect that matters, such as a fresh quote; at any time
 * - `client-id`: the same body; its id, chosen by the client, makes a second one impossible
 * - `key-then-read`: the same idempotency key; the original is then read
 * - `key-then-read-money`: the same key, while it is young enough that the service surely knows it
 * - `key-only`: the same key; the original cannot be read
 * - `same-request`: the same request, where the caller's operation resolves a duplicate by reading
 * - `convergent`: the same request; it leads to the same end state
 * - `none`: never
 */
export type Idempotency = (typeof REPEATS)[number];

/** Tells whether the request has no effect that matters: it is a read or a fresh quote. */
export function isHarmless(idempotency: Idempotency): boolean {
  return idempotency === 'safe' || idempotency === 'pure';
}

/**
 * Tells whether the SDK may send the request again after a lost response; `same-request` only where
 * the operation resolves a duplicate.
 */
export function mayRepeat(idempotency: Idempotency, canResolve: boolean): boolean {
  return idempotency !== 'none' && (idempotency !== 'same-request' || canResolve);
}

const BY_STATUS: Readonly<Record<number, Next>> = {
  400: 'fix-input',
  401: 'login',
  403: 'get-scope',
  408: 'retry',
  409: 'read-first',
  425: 'wait',
  429: 'wait',
};

/**
 * Decides the next step for an error: first by whether the outcome is unknown, then by the code,
 * then by the status. `decide` reads the whole table.
 *
 * @example
 * nextOf('none', { code: 'TIMEOUT' }, 'unknown') // 'read-first'
 */
export function chooseNext(
  idempotency: Idempotency,
  { code, status }: Omit<ErrorFacts, 'outcome'>,
  outcome: Outcome,
  { exists, next = nextByStatus(status) }: CodeRow = findMeaning(code),
): Next {
  const isBlocked = code === 'NOT_FROM_SERVICE' && !mayPass(status);
  if (outcome === 'not-done') return isBlocked ? 'retry' : next;
  if (exists && next !== 'retry') return next;
  // a quote cannot be read, and it moves no money
  if (idempotency === 'key-only') return 'new-quote';
  return isBlocked || !mayRepeat(idempotency, false) ? 'read-first' : 'retry';
}

/**
 * Tells whether a status passes by itself, whoever sent it. Any other 4xx of a proxy says nothing
 * about the key, the scope or the input.
 */
export function mayPass(status: number = 500): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/**
 * Tells whether the service would refuse the same read again: by the table, neither time nor a look
 * at something else helps.
 */
export function isFinal({ kind, next = 'retry' }: Pick<PaystateError, 'kind' | 'next'>): boolean {
  return kind === 'refused' && !['retry', 'wait', 'read-first'].includes(next);
}

function nextByStatus(status: number | undefined): Next {
  if (status === undefined || status >= 500) return 'retry';
  return BY_STATUS[status] ?? (status < 400 ? 'stop' : 'ask-user');
}

const PHASES = ['unsent', 'sent', 'responded', 'restarted'] as const;

/**
 * The stage that a request reached: not sent · sent without a response · the service responded with
 * the code · found in a journal after a restart.
 */
export type Phase = (typeof PHASES)[number];

/** One cell of the decision table. */
export interface Decision {
  /** A code of the service, of a field or of this package; `''` means any other. */
  readonly code: string;
  /** The rule that makes repeating the request safe. */
  readonly idempotency: Idempotency;
  /** The stage that the request reached. */
  readonly phase: Phase;
  /** `not-done` only where it is certain that nothing was done. */
  readonly outcome: Outcome;
  /** The next step. */
  readonly next: Next;
  /** The scope that the credential lacks; only of an endpoint, where `next` is `get-scope`. */
  readonly neededScope?: string | undefined;
  /** The text for the user; only with a catalogue. */
  readonly userMessage?: string | undefined;
}

/** The members of an endpoint that decide; a row of `paystate/endpoints` has them. */
export interface DecidedEndpoint {
  /** The rule that makes repeating the request safe. */
  readonly idempotency: Idempotency;
  /** The scope that it needs. */
  readonly scope: string;
}

/**
 * Decides what to do after an error: the one cell of the table for this code, this operation and
 * this phase. Nothing is sent.
 *
 * @param code a code of the service, of a field or of ours; any other counts as a refusal
 * @param operation an endpoint of `paystate/endpoints`, or its `idempotency` alone; with an
 * endpoint the cell names the scope that is missing
 * @param phase how far the request got
 * @param catalogue adds the text for the user: `en`, `de`, `es` or `fr` of `paystate/messages/…`,
 * or your own
 * @example
 * import { paymentQuotes } from 'paystate/endpoints';
 * import { en } from 'paystate/messages/en';
 * const cell = decide('PAYMENT_QUOTE_EXPIRED', paymentQuotes.execute, 'responded', en);
 * console.log(cell.next, cell.userMessage); // new-quote The offer has expired. …
 */
export function decide(
  code: ErrorCode,
  operation: Idempotency | DecidedEndpoint,
  phase: Phase,
  catalogue?: Catalogue,
): Decision {
  checkArgument('code', code ?? null, 'string');
  checkArgument('phase', phase ?? null, PHASES);
  checkCatalogue(catalogue);
  const { idempotency, scope } =
    typeof operation === 'string'
      ? { idempotency: operation, scope: '' }
      : (Object(operation) as DecidedEndpoint);
  checkArgument('operation', idempotency ?? null, REPEATS);
  const isKnown = Object.hasOwn(CODE_ROWS, code);
  const row = isKnown ? CODE_ROWS[code]! : { status: 422, ...findMeaning(code) };
  const isDone =
    !row.isUnknown &&
    (isHarmless(idempotency) || phase === 'unsent' || (phase === 'responded' && isRefusal(row)));
  const outcome = isDone ? 'not-done' : 'unknown';
  // nobody knows how long the service remembers a key
  const isOld = phase === 'restarted' && idempotency === 'key-then-read-money';
  const next = isOld
    ? 'read-first'
    : chooseNext(idempotency, { code, status: row.status }, outcome, row);
  const cell: Decision = { code: isKnown ? code : '', idempotency, phase, outcome, next };
  return {
    ...cell,
    ...(scope && next === 'get-scope' && { neededScope: scope }),
    ...(catalogue && { userMessage: messageFor(cell, catalogue) }),
  };
}

/** Tells whether the service refused, or nothing was sent. */
function isRefusal({ status, kind, exists, isLocal }: CodeRow): boolean {
  return isLocal || (!exists && !kind && status! < 500);
}

/**
 * Returns the whole table as data, for docs, devtools and tests: each code with each idempotency
 * and each phase.
 *
 * @param catalogue adds the text for the user to each cell
 * @example
 * const unsafe = decisionTable().filter(
 *   ({ idempotency, outcome }) => idempotency === 'none' && outcome === 'unknown',
 * );
 */
export function decisionTable(catalogue?: Catalogue): readonly Decision[] {
  return [...Object.keys(CODE_ROWS), ''].flatMap((code) =>
    REPEATS.flatMap((idempotency) =>
      PHASES.map((phase) => decide(code, idempotency, phase, catalogue)),
    ),
  );
}

/**
 * Texts for users, one for each code. `{limit}` and `{currency}` become what the service said, in
 * brackets, or nothing. `OTHER` is for unknown codes, `OUTCOME_UNKNOWN` for commands that may have
 * been done.
 */
export type Catalogue = Readonly<Record<KnownCode | 'OTHER' | 'OUTCOME_UNKNOWN', string>>;

const AMOUNT = /^\d{1,20}(\.\d{1,18})?$/;
const CURRENCY = /^[A-Z]{3,5}$/;

/**
 * Returns the text about an error for the user, from a catalogue. The service's own texts are for
 * developers and are never shown. Nothing is sent.
 *
 * @param thrown what was caught
 * @param catalogue `en`, `de`, `es` or `fr` of `paystate/messages/…`, or your own
 * @example
 * import { en } from 'paystate/messages/en';
 * try {
 *   await client.invoices.get(invoiceId);
 * } catch (thrown) {
 *   console.log(userMessage(thrown, en));
 * }
 */
export function userMessage(thrown: unknown, catalogue: Catalogue): string {
  checkCatalogue(catalogue ?? null);
  if (!isPaystateError(thrown)) return catalogue.OTHER;
  return messageFor(thrown, catalogue);
}

function checkCatalogue(catalogue: Catalogue | undefined): void {
  checkArgument('catalogue', catalogue, 'object');
  if (catalogue) checkArgument('catalogue.OTHER', catalogue.OTHER, 'string!');
}

/**
 * Returns the text about the facts of an error: those of an error that was thrown, or those of a
 * cell of the decision table, which has no values.
 */
function messageFor(
  facts: Pick<ErrorFacts, 'code' | 'outcome' | 'next' | 'values'>,
  catalogue: Catalogue,
): string {
  const { values = {} } = facts;
  const { amount, currency } = (values['limit'] ?? {}) as {
    readonly amount?: unknown;
    readonly currency?: unknown;
  };
  const limit =
    matches(amount, AMOUNT) && matches(currency, CURRENCY) ? ` (${amount} ${currency})` : '';
  const said = values['currency'] ?? values['requestedCurrency'];
  return catalogue[chooseText(facts, catalogue)]
    .replace('{limit}', () => limit)
    .replace('{currency}', () => (matches(said, CURRENCY) ? ` (${said})` : ''));
}

/**
 * Chooses the text. Where the outcome is unknown, only codes that say what exists have a right one:
 * all other texts say that something did not happen.
 */
function chooseText(
  { code, outcome, next }: Pick<ErrorFacts, 'code' | 'outcome' | 'next'>,
  catalogue: Catalogue,
): keyof Catalogue {
  if (next === 'fix-credential') return 'SECRET_INVALID'; // the visitor who reads it cannot log in
  const isKnown = Object.hasOwn(CODE_ROWS, code) && Object.hasOwn(catalogue, code);
  if (outcome === 'unknown' && !(isKnown && CODE_ROWS[code]!.exists)) return 'OUTCOME_UNKNOWN';
  return isKnown ? (code as KnownCode) : 'OTHER';
}

/** Values of the service are shown only where they have the expected form. */
function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
