// What this client's own calls were told enters its watches like a read of that moment.
import type { CallAnswer } from '../core/http/index.ts';
import { meaningOf } from '../core/errors/index.ts';
import { idKey, type Watchable } from '../resources/resource.ts';

/** The values of this resource that an answer holds. `isBare`: as reads of the watch bring them. */
export function valuesIn<T>(
  { watch }: Watchable<T>,
  { endpoint, value }: CallAnswer,
  isBare: boolean,
): readonly T[] {
  if (value === undefined) return [];
  const schema = endpoint.output?.schema;
  const found =
    schema === watch.shape.schema
      ? [value as T]
      : schema && schema === watch.page?.schema
        ? (value as { readonly items: readonly T[] }).items
        : [];
  return isBare && watch.bare ? found.map((one) => watch.bare!(one)) : found;
}

/** The answer says that this was made just now. */
export function isCreation({ endpoint, refusal }: CallAnswer): boolean {
  return endpoint.method === 'POST' && refusal === undefined;
}

/**
 * Ids of what has changed by an answer that does not show it: a command was accepted without a body,
 * or refused because of the state that something is in.
 */
export function changedBy({ endpoint, where, value, refusal }: CallAnswer): readonly string[] {
  const { idempotency, original } = endpoint;
  const isCommand = idempotency === 'same-request' || idempotency === 'convergent';
  const isAccepted = !refusal && value === undefined && isCommand;
  if (!isAccepted && !(refusal && tellsState(refusal.code, original?.code))) return [];
  return [where, value, refusal?.values].flatMap(idsOf);
}

function tellsState(code: string, original: string | undefined): boolean {
  const { exists, isState } = meaningOf(code);
  return code === original || exists === true || isState === true;
}

/** Members whose names end in `id`. */
function idsOf(given: unknown): readonly string[] {
  return Object.entries(Object(given) as object).flatMap(([name, value]: [string, unknown]) =>
    /id$/i.test(name) && typeof value === 'string' ? [value] : [],
  );
}

/** Recent answers by the ids in them: thousands of watches may begin at once. */
export class AnswerIndex {
  #indexed: readonly CallAnswer[] | undefined;
  #count: number = 0;
  readonly #byId: Map<string, CallAnswer[]> = new Map();

  /** Those that name this id. `answers` grows at its end, or is another array. */
  about(id: string, answers: readonly CallAnswer[]): readonly CallAnswer[] {
    if (answers !== this.#indexed) {
      this.#byId.clear();
      this.#count = 0;
      this.#indexed = answers;
    }
    for (; this.#count < answers.length; this.#count++) this.#add(answers[this.#count]!);
    return this.#byId.get(idKey(id)) ?? [];
  }

  #add(answer: CallAnswer): void {
    const { where, value, refusal } = answer;
    const ids = [where, value, refusal?.values].flatMap(idsOf);
    for (const key of new Set(ids.map(idKey))) {
      const known = this.#byId.get(key);
      if (known) known.push(answer);
      else this.#byId.set(key, [answer]);
    }
  }
}
