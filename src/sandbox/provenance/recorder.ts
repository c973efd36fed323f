import { RefusedError } from '../../core/errors/index.ts';
import type { AnyEndpoint } from '../../core/http/index.ts';
import type { AssumptionSettings } from './alternatives.ts';
import { assumed } from './assumed.ts';
import { documented, inferred, published } from './known.ts';

/** One behaviour of the sandbox, in words, and the responses that rest on it. */
interface Behaviour {
  /** Its statement, sentence by sentence. */
  readonly says: readonly string[];
  /** It decides about amounts: where it is wrong, money is wrong. */
  readonly money?: true;
  /** Words of the line of the service's description that says it. */
  readonly cites?: string;
  /**
   * Responses by method, path and code, with `*` for any text: `ok` for a success, `refused` for
   * any refusal. Finer distinctions are made in the code, by `recordUse` or on the refusal.
   */
  readonly on?: readonly string[];
}

type Behaviours = Readonly<Record<string, Behaviour>>;

/**
 * The grounds of a behaviour of the sandbox: the service's own description, public material,
 * reasoning, or our best guess.
 */
export type Provenance = 'documented' | 'public' | 'inferred' | 'assumed';

/** The id of a behaviour, such as `payments.fees`. */
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
 * Behaviours of the sandbox by what they rest on and by their ids, so that a test can tell a fact
 * from a guess.
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

/** The same, as a sandbox is now. */
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

/** A behaviour with its id and what it rests on. */
interface KnownBehaviour extends Omit<Behaviour, 'says'> {
  readonly id: BehaviourId;
  readonly source: Provenance;
  /** Its statement in one text. */
  readonly says: string;
}

/** All of them by their ids, those with the highest risk first. */
export const knownBehaviours: ReadonlyMap<BehaviourId, KnownBehaviour> = new Map(
  (['assumed', 'inferred', 'public', 'documented'] as const).flatMap((source) =>
    Object.entries(TABLES[source]).map(([key, one]) => {
      const id = key as BehaviourId;
      return [id, { ...one, id, source, says: one.says.join(' ') }] as const;
    }),
  ),
);

/** The assumed behaviours that a test may rely on: with `true` none, with `allow` these. */
export type Strictness =
  | boolean
  | {
      /** Ids of the assumed behaviours that responses may rest on. */
      readonly allow: readonly BehaviourId[];
    };

/** A behaviour that responses relied on so far. */
export interface BehaviourUse extends Pick<KnownBehaviour, 'id' | 'source' | 'says'> {
  /** It decides about money. */
  readonly money: boolean;
  /** Number of responses that relied on it; changes that no request asked for count too. */
  readonly count: number;
  /**
   * The request that relied on it first, such as `POST /v1/payouts`; absent where no request did.
   */
  readonly at?: string;
  /** A way to verify it. */
  readonly check: string;
}

/** The code of what strict mode refuses. */
export const ASSUMPTION = 'SANDBOX_ASSUMPTION';

/** Thrown where something would rest on what strict mode does not allow. */
export class AssumptionError extends RefusedError {
  constructor(id: BehaviourId, says: string) {
    const advice = `find out whether it is true, then allow it: strict: { allow: ['${id}'] }`;
    super(`sandbox: rests on ${id}, which is assumed: ${advice}`, {
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
  documented: "the service's own description says it",
  public: "public material says it: compare it with the service's reference",
  inferred: "it follows by reasoning: try it in the service's test environment",
  assumed: "no source says it: try it in the service's test environment, or ask the service",
} as const;

const RANKS = new Map([...knownBehaviours.keys()].map((id, rank) => [id, rank]));

/** The riskiest first: what is less founded, then money, then what was relied on more. */
function byRisk(a: BehaviourUse, b: BehaviourUse): number {
  const rankOf = ({ source, money }: BehaviourUse): number =>
    2 * ['assumed', 'inferred', 'public', 'documented'].indexOf(source) + (money ? 0 : 1);
  return rankOf(a) - rankOf(b) || b.count - a.count || RANKS.get(a.id)! - RANKS.get(b.id)!;
}

/** Sorted by risk; ids that rules alone have given are already. */
function byRank(ids: BehaviourId[]): readonly BehaviourId[] {
  const rankOf = (id: BehaviourId): number => RANKS.get(id)!;
  const isSorted = ids.every((id, at) => at === 0 || rankOf(ids[at - 1]!) < rankOf(id));
  return isSorted ? ids : ids.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Records what responses rest on. */
export class ProvenanceRecorder {
  readonly #isStrict: boolean;
  readonly #allowed: ReadonlySet<BehaviourId>;
  readonly #settings: AssumptionSettings;
  readonly #counts = new Map<BehaviourId, Count>();
  /** Uses of the request that is being handled. */
  #current: Set<BehaviourId> | undefined;
  /** Uses that were recorded between requests, and are not checked yet. */
  #between = new Set<BehaviourId>();

  constructor(strict: Strictness, settings: AssumptionSettings) {
    this.#isStrict = strict !== false;
    this.#allowed = new Set(typeof strict === 'object' ? strict.allow : []);
    this.#settings = settings;
  }

  /** A request begins; what is recorded until its end belongs to it. */
  begin(): void {
    this.#current = new Set();
  }

  /** Notes that the current work rests on this behaviour. */
  record(id: BehaviourId): void {
    if (this.#current) return void this.#current.add(id);
    this.#count(id, undefined);
    if (this.#isStrict) this.#between.add(id);
  }

  /**
   * In strict mode throws `AssumptionError` where the response rests on what is assumed and not
   * allowed, or where something since the last check does that no request asked for. Called after
   * the request, or the time, has had its whole effect, so that the state of the world does not
   * depend on strict mode.
   */
  check(): void {
    if (!this.#isStrict) return;
    const unchecked = [...(this.#current ?? []), ...this.#between];
    this.#between = new Set();
    for (const id of unchecked)
      if (knownBehaviours.get(id)!.source === 'assumed' && !this.#allowed.has(id))
        throw new AssumptionError(id, this.#sentence(id));
  }

  /** The request ends; what its response rests on, the riskiest first. */
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

/** Records that what is done now rests on a behaviour. */
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

/** The rules are the same in every sandbox: each pair of endpoint and code is looked up once. */
const found = new Map<string, readonly BehaviourId[]>();

/** The behaviours that any response of a row with a code rests on; `ok` for a success. */
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

/** Records what the response to a list rests on by what was asked, and what was not. */
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

/** The behaviours that a filter rests on, by its text. */
const FILTER_FORMS: readonly (readonly [BehaviourId, RegExp])[] = [
  ['filters.times', /\.\d{7}/],
  ['filters.quotes', /'/],
  ['filters.texts', /'/],
  ['filters.ids', /Id[ \t]+(eq|in)\b/],
  ['filters.in', /\bin[ \t]*\(/],
];
