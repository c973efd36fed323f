import type { Ticks } from '../../core/time.ts';
import type { FieldKind, Literal } from './odata.ts';

/** Reads a field of an item for a filter. */
interface FieldReader<Item> {
  of(item: Item): Literal | undefined;
  /** Looked up without a scan. Where the field of an item changes, `reindex(item)` must follow. */
  readonly indexed?: true | undefined;
}

interface Field<Item> extends FieldReader<Item> {
  readonly kind: FieldKind;
}

export type Fields<Item> = Readonly<Record<string, Field<Item>>>;

/**
 * The fields of a list's grammar, with how to get at each: one without a reader does not compile.
 */
export function fieldsOf<Item, Name extends string>(
  kinds: Readonly<Record<Name, FieldKind>>,
  readers: Readonly<Record<NoInfer<Name>, FieldReader<Item>>>,
): Fields<Item> {
  return Object.fromEntries(
    Object.entries<FieldKind>(kinds).map(([name, kind]) => [
      name,
      { kind, ...readers[name as Name] },
    ]),
  );
}

/** A list in ascending order of `created`, with how to get at its fields. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly fields: Fields<Item>;
}

/**
 * The smallest whole number from `low` up to and without `high` for which it holds, and for all
 * above it; else `high`.
 */
export function bisect(low: number, high: number, holds: (value: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** First position of an ascending list whose item is not before `ticks`. */
export function positionOf(items: readonly { readonly created: Ticks }[], ticks: Ticks): number {
  return bisect(0, items.length, (position) => items[position]!.created >= ticks);
}

/** First position of ascending numbers that is not below `value`. */
export function lowerBound(numbers: readonly number[], value: number): number {
  return bisect(0, numbers.length, (position) => numbers[position]! >= value);
}

/** Puts an item where its time belongs: at the end, unless a clock was wrong. */
export function insert<Item extends { readonly created: Ticks }>(items: Item[], item: Item): void {
  const last = items.at(-1);
  if (!last || last.created <= item.created) items.push(item);
  else items.splice(positionOf(items, item.created + 1n), 0, item);
}

// Each item of a list has a row id: how many items the list had, since its creation, before this
// one was appended. Items that are cut off at the beginning take their row ids with them, so no
// other row id changes. Subtracting `offset`, the row id of the first item, gives an item's
// position.

/** Row ids of a list's items by the value of one field; each list of row ids ascends. */
interface FieldIndex<Item> {
  readonly of: Field<Item>['of'];
  readonly byValue: Map<Literal, number[]>;
  /** The value that is indexed for each row id. */
  readonly indexed: (Literal | undefined)[];
}

/** The indexes of one list, by field. */
class ListIndex<Item extends object> {
  /** Row id of the first item: how many items were cut off before it. */
  offset = 0;
  readonly alone: readonly ListIndex<never>[] = [this as never];
  #rowIds = new WeakMap<Item, number>();
  #byField = new Map<string, FieldIndex<Item>>();
  #next = 0;
  #last: Item | undefined;

  /**
   * Takes up changes at both ends. Starts again after any other change, or when half of the
   * rows were cut off.
   */
  update(items: readonly Item[]): void {
    const [first] = items;
    this.offset = (first && this.#rowIds.get(first)) ?? this.#next;
    const isEmpty = this.#next === this.offset;
    const isAsBefore = isEmpty || items[this.#next - this.offset - 1] === this.#last;
    if (!isAsBefore || (isEmpty && this.#next > 0) || this.offset > 1_000 + this.#next / 2)
      this.#clear();
    for (let position = this.#next - this.offset; position < items.length; position++)
      this.#append(items[position]!);
  }

  /** The index of a field, up to date. */
  fieldIndex(items: readonly Item[], name: string, { of }: Field<Item>): FieldIndex<Item> {
    const index = this.#byField.get(name) ?? {
      of,
      byValue: new Map<Literal, number[]>(),
      indexed: [],
    };
    this.#byField.set(name, index);
    for (let rowId = Math.max(index.indexed.length, this.offset); rowId < this.#next; rowId++) {
      const value = of(items[rowId - this.offset]!);
      index.indexed[rowId] = value;
      rowIdsIn(index, value)?.push(rowId);
    }
    return index;
  }

  reindex(item: Item): void {
    const rowId = this.#rowIds.get(item);
    if (rowId === undefined) return;
    for (const index of this.#byField.values()) {
      const value = index.of(item);
      const former = index.indexed[rowId];
      if (rowId >= index.indexed.length || value === former) continue;
      index.indexed[rowId] = value;
      const left = rowIdsIn(index, former);
      left?.splice(lowerBound(left, rowId), 1);
      const found = rowIdsIn(index, value);
      found?.splice(lowerBound(found, rowId), 0, rowId);
    }
  }

  #clear(): void {
    this.offset = this.#next = 0;
    this.#rowIds = new WeakMap();
    this.#byField = new Map();
  }

  #append(item: Item): void {
    this.#rowIds.set(item, this.#next++);
    this.#last = item;
    const known = indexesOf.get(item);
    if (!known?.includes(this as never))
      indexesOf.set(item, known ? [...known, this as never] : this.alone);
  }
}

/**
 * The row ids of a value, to be changed in place; absent for an absent value, which is not indexed.
 */
function rowIdsIn<Item>(
  { byValue }: FieldIndex<Item>,
  value: Literal | undefined,
): number[] | undefined {
  if (value === undefined) return undefined;
  const rowIds = byValue.get(value) ?? [];
  byValue.set(value, rowIds);
  return rowIds;
}

const indexOfList = /* @__PURE__ */ new WeakMap<object, ListIndex<never>>();
/** The indexes that hold an item: an invoice is in the lists of two accounts. */
const indexesOf = /* @__PURE__ */ new WeakMap<object, readonly ListIndex<never>[]>();

/** Row ids of a list's items by value, up to date. */
interface IndexView {
  /** Row id of the first item. */
  readonly offset: number;
  rowIdsOf(field: string, literal: Literal): readonly number[];
}

/**
 * Looks a list up by its indexed fields. The list must grow at its end and may be cut at its
 * beginning; after any other change its index is built again.
 */
export function indexOf<Item extends object>(
  items: readonly Item[],
  fields: Fields<Item>,
): IndexView {
  const list = (indexOfList.get(items) ?? new ListIndex<Item>()) as ListIndex<Item>;
  indexOfList.set(items, list as never);
  list.update(items);
  return {
    offset: list.offset,
    rowIdsOf: (name, literal) =>
      list.fieldIndex(items, name, fields[name]!).byValue.get(literal) ?? [],
  };
}

/** To be called after a change of an item's field that is `indexed`. */
export function reindex(item: object): void {
  for (const index of indexesOf.get(item) ?? []) index.reindex(item as never);
}
