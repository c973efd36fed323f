// Tries what plain JavaScript may pass to a function by mistake, and says what was not refused.
import { InputError } from 'paystate';
import type { Parameter, Signature } from './signatures.ts';
import { openWorld, valueFor, within, type World } from './valid-arguments.ts';

export interface Counts {
  functions: number;
  options: number;
  refusals: number;
}

/** A call that is no refusal, and why: `where` is found in its entry, function and argument. */
export interface Exception {
  readonly where: RegExp;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  { where: /^paystate(\/stores)? \w+Error: /, reason: 'is made by this package; tests make some' },
  { where: /^paystate (hasCode|isPaystateError): /, reason: 'asks only, of anything' },
  {
    where: /^paystate\/webhooks verifyWebhook: delivery: object WebhookError/,
    reason: 'an object without bytes is a parsed body, and BODY_ALREADY_READ says what to do',
  },
  { where: /^paystate\/host opensSocket: /, reason: 'asks only' },
  { where: /^paystate\/lightning isPreimageOf: /, reason: 'asks only' },
  {
    where: /^paystate\/lightning parseDestination: text/,
    reason: 'what a payer pastes is refused in a result, with a text for the payer',
  },
  {
    where: /: (options\.)?secrets?: undefined WebhookError/,
    reason: 'SECRET_INVALID says that the environment of the program lacks it',
  },
  {
    where: /^paystate\/testing make\w+: members: object/,
    reason: 'members that are not known yet can be made, as the service may add them',
  },
  {
    where: /^paystate\/testing readOnly: options\.(baseUrl|apiKey|token): \w+ is taken/,
    reason: 'createClient refuses what they are, with more to say',
  },
  {
    where: /: (draft|change)\.[\w.]+: null is taken|: (draft|change)\.[\w.]+: null RefusedError/,
    reason: 'a member that is null is left out, as the service does it with an absent one',
  },
  {
    where: /^paystate\/money moneyIn: from\./,
    reason: 'is a value of the service, which has other members beside its currency',
  },
  { where: /^paystate\/schemas rejectDrift: /, reason: 'is called by a client, with its response' },
  {
    where: /^paystate\/react PaystateProvider: props(: |\.child|\.cliet )/,
    reason: 'React makes its props; what matters is refused by `client`',
  },
  {
    where: /^paystate\/(react|vue) use(Checkout|Invoice): \w+: (object|array) is taken/,
    reason: 'a hook is idle while the id is not there',
  },
  {
    where: /^paystate\/vue useWatch: watch: (null|undefined) is taken/,
    reason: 'shows nothing while there is no watch',
  },
];

type Given = readonly unknown[];

/** A name that a person may type for another one. */
export function misspelt(name: string, known: readonly string[]): string {
  const shorter = name.slice(0, -2) + name.slice(-1);
  return name.length > 3 && !known.includes(shorter) ? shorter : `${name}s`;
}

/** Right kinds are not enough for these: a signature, a preceding call, a provider. */
const NEEDS_MORE: ReadonlySet<string> = new Set([
  'adoptJournal',
  'applyPlan',
  'parseMoney',
  'readPayRequest',
  'recoverPayee',
  'secretIndexOf',
  'useClient',
  'verifyBolt11',
]);

const LATER = Symbol('later');

/** The error of a call, thrown or rejected; what was returned where there is none. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    const limit = new Promise((resolve) => setTimeout(resolve, 100, LATER));
    const returned = call();
    const isPromise = typeof (returned as Promise<unknown> | undefined)?.then === 'function';
    return isPromise ? await Promise.race([returned, limit]) : returned;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

const describeOutcome = (outcome: unknown): string =>
  outcome instanceof Error
    ? `${outcome.name}: ${outcome.message.split('\n')[0]!.slice(0, 120)}`
    : 'is taken';

class Walk {
  readonly #signature: Signature;
  readonly #world: World;
  readonly #valid: Given;
  readonly #counts: Counts;
  readonly #used: Set<string>;
  readonly faults: string[] = [];
  /** What calls sent that are exceptions. */
  #excepted = 0;

  constructor(signature: Signature, world: World, counts: Counts, used: Set<string>) {
    this.#used = used;
    this.#signature = signature;
    this.#world = world;
    this.#counts = counts;
    this.#valid = signature.parameters.map((one) => valueFor(signature, one, world));
  }

  async play(): Promise<readonly string[]> {
    const { parameters } = this.#signature;
    this.#counts.functions++;
    for (const [at, parameter] of parameters.entries()) {
      const put = (value: unknown): Given => this.#valid.with(at, value);
      await this.#tryKinds(parameter, parameter.name, put);
      await this.#tryNames(parameter, parameter.name, this.#valid[at], put);
    }
    const sent = this.#sent() - this.#excepted;
    if (sent > 0) this.faults.push(`sent or wrote ${sent} times`);
    return this.faults;
  }

  /** Tries each misspelt name, each wrong kind of an option, and both in the options in it. */
  async #tryNames(
    { options }: Parameter,
    path: string,
    valid: unknown,
    put: (value: unknown) => Given,
  ): Promise<void> {
    const base: object = typeof valid === 'object' && valid !== null ? valid : {};
    const known = options.map(({ name }) => name);
    for (const option of options) {
      const { name } = option;
      const at = `${path}.${name}`;
      const wrong = misspelt(name, known);
      this.#counts.options++;
      await this.#refuses(`${path}.${wrong}`, put({ ...base, [wrong]: 1 }), wrong);
      const putOption = (value: unknown): Given => put({ ...base, [name]: value });
      await this.#tryKinds(option, at, putOption);
      await this.#tryNames(option, at, (base as Record<string, unknown>)[name], putOption);
    }
  }

  async #tryKinds(
    { wrong, isOptional }: Parameter,
    path: string,
    put: (value: unknown) => Given,
  ): Promise<void> {
    for (const [kind, value] of Object.entries(wrong))
      await this.#refuses(`${path}: ${kind}`, put(value));
    if (!isOptional && Object.keys(wrong).length > 0)
      await this.#refuses(`${path}: undefined`, put(undefined));
  }

  async #refuses(what: string, given: Given, named = ''): Promise<void> {
    const { call, name, specifier } = this.#signature;
    const before = this.#sent();
    const outcome = await outcomeOf(() => within(specifier, () => call(...given)));
    this.#counts.refusals++;
    if (outcome instanceof InputError && outcome.message.includes(named)) return;
    const fault = `${what} ${describeOutcome(outcome)}`;
    const excepted = exceptions.find(({ where }) => where.test(`${specifier} ${name}: ${fault}`));
    if (!excepted) return void this.faults.push(fault);
    this.#used.add(String(excepted.where));
    this.#excepted += this.#sent() - before;
  }

  /** Requests that were sent so far, and rows that were written. */
  #sent(): number {
    return this.#world.requests() + this.#world.rows();
  }
}

/** What a function does with wrong arguments, where that is not to refuse them. */
export function faultsOf(
  signature: Signature,
  counts: Counts,
  used: Set<string>,
): Promise<readonly string[]> {
  return new Walk(signature, openWorld(), counts, used).play();
}

/** The refusal of arguments that are right; `undefined` where there is none. */
export async function refusalOfValid(signature: Signature): Promise<string | undefined> {
  const world = openWorld();
  const { call, name, parameters, specifier } = signature;
  const given = parameters.map((one) => valueFor(signature, one, world));
  const outcome = await outcomeOf(() => within(specifier, () => call(...given)));
  const isRefused =
    outcome instanceof InputError && !NEEDS_MORE.has(name) && !name.endsWith('Error');
  return isRefused ? describeOutcome(outcome) : undefined;
}
