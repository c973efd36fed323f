import { RefusedError } from '../../core/errors/index.ts';
import type { AnyEndpoint } from '../../core/http/index.ts';
import type { AssumptionSettings } from './alternatives.ts';
import { assumed } from './assumed.ts';
import { documented, inferred, published } from './known.ts';

interface Behaviour {
  /** Sentences that describe the behavior. */
  readonly says: readonly string[];
  /** Whether the behavior determines amounts, so a wrong guess costs money. */
  readonly money?: true;
  /** Quotation from the service's description that documents the behavior. */
  readonly cites?: string;
  /**
   * Responses that rely on the behavior, by method, path and code. `*` matches any text, `ok`
   * stands for success and `refused` for any error. `recordUse` covers the cases that these
   * patterns can't express.
   */
  readonly on?: readonly string[];
}

type Behaviours = Readonly<Record<string, Behaviour>>;

/**
 * How we know about a behavior. It's documented in the service's API description, known from public
 * material, inferred from other facts, or our best guess.
 */
export type Provenance = 'documented' | 'public' | 'inferred' | 'assumed';

/** Id of a behavior, such as `payments.fees`. */
export type BehaviourId =
  | keyof typeof documented
  | keyof typeof published
  | keyof typeof inferred
  | keyof typeof assumed;

const TABLES: Readonly<Record<Provenance, Behaviours>> & {
  readonly documented: Readonly<Record<string, { readonly cites: string }>>;
} = {
  documented,
  public: published,
  inferred,
  assumed,
};

/**
 * Descriptions of the sandbox's behaviors by provenance and id, so tests can distinguish facts from
 * guesses.
 *
 * @example
 * console.log(behaviours.assumed['payments.fees']);
 */
export const behaviours: Readonly<Record<Provenance, Readonly<Record<string, string>>>> = {
  documented: listTexts(documented),
  public: listTexts(published),
  inferred: listTexts(inferred),
  assumed: listTexts(assumed),
};

export function behavioursNow(settings: AssumptionSettings): typeof behaviours {
  const assumedNow = Object.entries(behaviours.assumed).map(([id, says]) => [
    id,
    settings.sentence(id) ?? says,
  ]);
  return { ...behaviours, assumed: Object.fromEntries(assumedNow) };
}

function listTexts(table: Behaviours): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([id, { says }]) => [id, says.join(' ')]));
}

interface KnownBehaviour extends Omit<Behaviour, 'says'> {
  readonly id: BehaviourId;
  readonly source: Provenance;
  readonly says: string;
}

/** All behaviors by id. Those with the weakest provenance come first. */
export const knownBehaviours: ReadonlyMap<BehaviourId, KnownBehaviour> = new Map(
  (['assumed', 'inferred', 'public', 'documented'] as const).flatMap((source) =>
    Object.entries(TABLES[source]).map(([key, one]) => {
      const id = key as BehaviourId;
      return [id, { ...one, id, source, says: one.says.join(' ') }] as const;
    }),
  ),
);

/**
 * Assumed behaviors that responses may rely on. `false` allows all, `true` allows none, and `allow`
 * lists the allowed ones.
 */
export type Strictness =
  | boolean
  | {
      /** Ids of the allowed behaviors. */
      readonly allow: readonly BehaviourId[];
    };

/** A behavior that responses have relied on. */
export interface BehaviourUse extends Pick<KnownBehaviour, 'id' | 'source' | 'says'> {
  /** Whether the behavior determines amounts. */
  readonly money: boolean;
  /**
   * Number of responses that relied on the behavior. Also counts background changes, such as a
   * payout that completes.
   */
  readonly count: number;
  /**
   * First request that relied on the behavior, such as `POST /v1/payouts`. Absent if only
   * background changes relied on it.
   */
  readonly at?: string;
  /** How you can verify the behavior. */
  readonly check: string;
}

export const ASSUMPTION = 'SANDBOX_ASSUMPTION';

/** Thrown if a response relies on an assumed behavior that strict mode doesn't allow. */
export class AssumptionError extends RefusedError {
  constructor(id: BehaviourId, says: string) {
    const advice = `check whether it's true, then allow it: strict: { allow: ['${id}'] }`;
    super(`sandbox: this response rests on the assumption ${id}: ${advice}`, {
      code: ASSUMPTION,
      outcome: 'not-done',
      status: 422,
      values: { assumption: id, says, advice },
    });
  }
}

interface Count {
  count: number;
  readonly at: string | undefined;
}

const CHECKS = {
  documented: `documented in the service's own description`,
  public: `from public material: compare it with the service's reference`,
  inferred: `inferred by reasoning: try it in the service's test environment`,
  assumed: `assumed without a source: try it in the service's test environment, or ask the service`,
} as const;

const RANKS = new Map([...knownBehaviours.keys()].map((id, rank) => [id, rank]));

/**
 * Sorts by risk. Behaviors with weaker provenance come first, then those that determine amounts,
 * then those with more uses.
 */
function byRisk(a: BehaviourUse, b: BehaviourUse): number {
  const rankOf = ({ source, money }: BehaviourUse): number =>
    2 * ['assumed', 'inferred', 'public', 'documented'].indexOf(source) + (money ? 0 : 1);
  return rankOf(a) - rankOf(b) || b.count - a.count || RANKS.get(a.id)! - RANKS.get(b.id)!;
}

/** Sorts ids by risk. Skips sorting if they're in order, which is the usual case. */
function byRank(ids: BehaviourId[]): readonly BehaviourId[] {
  const rankOf = (id: BehaviourId): number => RANKS.get(id)!;
  const isSorted = ids.every((id, at) => at === 0 || rankOf(ids[at - 1]!) < rankOf(id));
  return isSorted ? ids : ids.sort((a, b) => rankOf(a) - rankOf(b));
}

export class ProvenanceRecorder {
  readonly #isStrict: boolean;
  readonly #allowed: ReadonlySet<BehaviourId>;
  readonly #settings: AssumptionSettings;
  readonly #counts = new Map<BehaviourId, Count>();
  #current: Set<BehaviourId> | undefined;
  /** Behaviors used by background changes since the last check. Only filled in strict mode. */
  #between = new Set<BehaviourId>();

  constructor(strict: Strictness, settings: AssumptionSettings) {
    this.#isStrict = strict !== false;
    this.#allowed = new Set(typeof strict === 'object' ? strict.allow : []);
    this.#settings = settings;
  }

  begin(): void {
    this.#current = new Set();
  }

  record(id: BehaviourId): void {
    if (this.#current) return void this.#current.add(id);
    this.#count(id, undefined);
    if (this.#isStrict) this.#between.add(id);
  }

  /**
   * In strict mode, throws an `AssumptionError` if the response, or a background change since the
   * last check, relied on an assumed behavior that isn't allowed. Runs after the request has had
   * its full effect, so strict mode doesn't change the sandbox's state.
   */
  check(): void {
    if (!this.#isStrict) return;
    const unchecked = [...(this.#current ?? []), ...this.#between];
    this.#between = new Set();
    for (const id of unchecked)
      if (knownBehaviours.get(id)!.source === 'assumed' && !this.#allowed.has(id))
        throw new AssumptionError(id, this.#sentence(id));
  }

  /**
   * Finishes recording a request. Returns the behaviors that its response relied on, riskiest
   * first.
   */
  end(row: AnyEndpoint | undefined): readonly BehaviourId[] {
    const ids = byRank([...(this.#current ?? [])]);
    this.#current = undefined;
    for (const id of ids) this.#count(id, row && `${row.method} ${row.path}`);
    return ids;
  }

  report(): readonly BehaviourUse[] {
    return Array.from(this.#counts, ([id, { count, at }]) => {
      const { source, money = false, cites } = knownBehaviours.get(id)!;
      const check = CHECKS[source] + (cites === undefined ? '' : `: "${cites}"`);
      return { id, source, says: this.#sentence(id), money, count, ...(at && { at }), check };
    }).sort(byRisk);
  }

  #sentence(id: BehaviourId): string {
    return this.#settings.sentence(id) ?? knownBehaviours.get(id)!.says;
  }

  #count(id: BehaviourId, at: string | undefined): void {
    const entry = this.#counts.get(id);
    if (entry) entry.count++;
    else this.#counts.set(id, { count: 1, at });
  }
}

export function recordUse(
  { provenance }: { readonly provenance: ProvenanceRecorder },
  id: BehaviourId,
): void {
  provenance.record(id);
}

interface Rule {
  readonly id: BehaviourId;
  readonly method: string;
  readonly path: RegExp;
  readonly code: RegExp;
}

const RULES: readonly Rule[] = [...knownBehaviours.values()].flatMap(({ id, on = [] }) =>
  on.map((rule) => {
    const [method = '', path = '', code = ''] = rule.split(' ');
    return {
      id,
      method,
      path: makePattern(path),
      code: code === 'refused' ? /^(?!ok$)/ : makePattern(code),
    };
  }),
);

function makePattern(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.{}]/g, '\\$&').replaceAll('*', '.*')}$`);
}

/** Caches the matching rules by endpoint and code, because they're the same in every sandbox. */
const found = new Map<string, readonly BehaviourId[]>();

/**
 * Returns the behaviors that a response relies on. `code` is an error code, or `ok` for success.
 */
export const provenanceRules = (
  { method, path }: AnyEndpoint,
  code: string,
): readonly BehaviourId[] => {
  const key = `${method} ${path} ${code}`;
  const ids =
    found.get(key) ??
    RULES.filter(
      (rule) =>
        (rule.method === '*' || rule.method === method) &&
        rule.path.test(path) &&
        rule.code.test(code),
    ).map(({ id }) => id);
  found.set(key, ids);
  return ids;
};

/** Records the behaviors of a list request, which depend on its query parameters. */
export function recordQuery(
  { provenance }: { readonly provenance: ProvenanceRecorder },
  { path, query: names = {} }: AnyEndpoint,
  query: URLSearchParams,
): void {
  if (names['top'] === undefined) return;
  provenance.record(query.has('$top') ? 'lists.top' : 'lists.page');
  if (query.has('$orderby')) provenance.record('lists.orderby');
  else provenance.record(path === '/v1/events' ? 'events.order' : 'lists.order');
  const filter = query.get('$filter') ?? '';
  for (const [id, form] of FILTER_FORMS) if (form.test(filter)) provenance.record(id);
}

const FILTER_FORMS: readonly (readonly [BehaviourId, RegExp])[] = [
  ['filters.times', /\.\d{7}/],
  ['filters.quotes', /'/],
  ['filters.texts', /'/],
  ['filters.ids', /Id[ \t]+(eq|in)\b/],
  ['filters.in', /\bin[ \t]*\(/],
];
