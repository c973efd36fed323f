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
 * The rule for resending a request after its response was lost:
 * - `safe`: at any time, because the request only reads
 * - `pure`: at any time, because the request (such as creating a quote) has no effect that matters
 * - `client-id`: with the same body, because the client-generated id prevents a duplicate
 * - `key-then-read`: with the same idempotency key, followed by a read of the original
 * - `key-then-read-money`: like `key-then-read`, but only as long as the service is sure to
 * remember the key
 * - `key-only`: with the same idempotency key, but the original can't be read
 * - `same-request`: unchanged, if the operation can resolve a duplicate by reading the resource
 * - `convergent`: unchanged, because repeating it leads to the same result
 * - `none`: never
 */
export type Idempotency = (typeof REPEATS)[number];

/** Checks whether an operation only reads or only creates a quote. */
export function isHarmless(idempotency: Idempotency): boolean {
  return idempotency === 'safe' || idempotency === 'pure';
}

/**
 * Checks whether the SDK may repeat a request after its response was lost. A `same-request`
 * operation may only be repeated if it can resolve a duplicate.
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
 * Chooses what to do after an error. An unknown outcome takes precedence over the code, and the
 * code over the HTTP status. Unlike this function, `decide` uses the complete table of codes.
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
  // The original quote can't be read. A new one is safe, because a quote moves no money.
  if (idempotency === 'key-only') return 'new-quote';
  return isBlocked || !mayRepeat(idempotency, false) ? 'read-first' : 'retry';
}

/** Checks whether an HTTP status indicates a temporary failure. */
export function mayPass(status: number = 500): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/**
 * Checks whether the refusal is permanent, so that repeating the read at any time would fail the
 * same way.
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
 * How far a request got before the error. `unsent` requests were never sent. `sent` requests got no
 * response. `responded` means that the service refused the request with this code. `restarted`
 * means that the request was found in a journal after a restart.
 */
export type Phase = (typeof PHASES)[number];

/** One cell of the decision table, which describes what to do after an error. */
export interface Decision {
  /** A code from the service, for a field or from this package. `''` stands for any other code. */
  readonly code: string;
  /** The rule that determines whether the request may be repeated. */
  readonly idempotency: Idempotency;
  /** How far the request got. */
  readonly phase: Phase;
  /**
   * Whether the request may have had an effect. It's only `not-done` if the request definitely had
   * none.
   */
  readonly outcome: Outcome;
  /** The recommended action. */
  readonly next: Next;
  /**
   * The scope that the credential lacks. Only set if you passed an endpoint and `next` is
   * `get-scope`.
   */
  readonly neededScope?: string | undefined;
  /** Message for the user, if you passed a catalogue. */
  readonly userMessage?: string | undefined;
}

/** The endpoint fields that affect decisions. Every endpoint in `paystate/endpoints` has them. */
export interface DecidedEndpoint {
  /** The rule that determines whether the request may be repeated. */
  readonly idempotency: Idempotency;
  /** The scope that the endpoint requires. */
  readonly scope: string;
}

/**
 * Decides what to do after an error. Returns the cell of the decision table for a code, an
 * operation and a phase. Sends no request.
 *
 * @param code a code from the service, for a field or from this package. An unknown code is treated
 * as a refusal
 * @param operation an endpoint from `paystate/endpoints`, or just its `idempotency`. If you pass an
 * endpoint, the cell includes the missing scope
 * @param phase how far the request got
 * @param catalogue adds the message for the user: `en`, `de`, `es` or `fr` from
 * `paystate/messages/…`, or your own
 *
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
  // The service doesn't document how long it remembers a key.
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

function isRefusal({ status, kind, exists, isLocal }: CodeRow): boolean {
  return isLocal || (!exists && !kind && status! < 500);
}

/**
 * Returns the complete decision table as data, for docs, devtools and tests. It contains one cell
 * for each combination of code, idempotency rule and phase.
 *
 * @param catalogue adds the message for the user to each cell
 *
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
 * User-facing messages by error code. The placeholders `{limit}` and `{currency}` are replaced with
 * the service's value in parentheses, or removed if there's no value. `OTHER` is the message for
 * unknown codes, and `OUTCOME_UNKNOWN` is the one for commands that may have had an effect.
 */
export type Catalogue = Readonly<Record<KnownCode | 'OTHER' | 'OUTCOME_UNKNOWN', string>>;

const AMOUNT = /^\d{1,20}(\.\d{1,18})?$/;
const CURRENCY = /^[A-Z]{3,5}$/;

/**
 * Returns a user-facing message for an error. The service's own messages are never used, because
 * they're written for developers. Sends no request.
 *
 * @param thrown the caught value
 * @param catalogue `en`, `de`, `es` or `fr` from `paystate/messages/…`, or your own
 *
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

/** Returns the message for an error or for a cell of the decision table. */
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
 * Chooses the catalogue key for an error. If the outcome is unknown, only codes for existing
 * resources keep their own message, because the other messages say that nothing happened.
 */
function chooseText(
  { code, outcome, next }: Pick<ErrorFacts, 'code' | 'outcome' | 'next'>,
  catalogue: Catalogue,
): keyof Catalogue {
  // A visitor can't replace the shop's credential, so the message must not ask for a login.
  if (next === 'fix-credential') return 'SECRET_INVALID';
  const isKnown = Object.hasOwn(CODE_ROWS, code) && Object.hasOwn(catalogue, code);
  if (outcome === 'unknown' && !(isKnown && CODE_ROWS[code]!.exists)) return 'OUTCOME_UNKNOWN';
  return isKnown ? (code as KnownCode) : 'OTHER';
}

/** Checks the format of a value from the service before it's shown to users. */
function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
