import type { Field, Fields } from './fields.ts';
import type { Literal } from './odata.ts';
import { lowerBound } from './sorted.ts';

// Lists are looked up by number: the how manieth ever an item is in its list. What is cut off at the beginning takes its
// numbers with it, so that no other number changes.

/** Numbers of a list's items by the value of one field; each list of numbers ascends. */
interface FieldIndex<Item> {
  readonly of: Field<Item>['of'];
  readonly byValue: Map<Literal, number[]>;
  /** The value under which each number is filed. */
  readonly filedAs: (Literal | undefined)[];
}

/** Everything by which one list is looked up. */
class ListIndex<Item extends object> {
  /** How many items have left at the beginning. */
  gone = 0;
  readonly alone: readonly ListIndex<never>[] = [this as never];
  #numbers = new WeakMap<Item, number>();
  #byField = new Map<string, FieldIndex<Item>>();
  #next = 0;
  #last: Item | undefined;

  /** Takes up what has changed at both ends; begins anew where something came between, or half of it is stale. */
  follow(items: readonly Item[]): void {
    const [first] = items;
    this.gone = (first && this.#numbers.get(first)) ?? this.#next;
    const isAsBefore = this.#next === this.gone || items[this.#next - this.gone - 1] === this.#last;
    if (
      !isAsBefore ||
      (this.#next === this.gone && this.#next > 0) ||
      this.gone > 1_000 + this.#next / 2
    )
      this.#clear();
    for (let place = this.#next - this.gone; place < items.length; place++)
      this.#number(items[place]!);
  }

  /** The column of a field, up to date. */
  column(items: readonly Item[], name: string, { of }: Field<Item>): FieldIndex<Item> {
    const column = this.#byField.get(name) ?? {
      of,
      byValue: new Map<Literal, number[]>(),
      filedAs: [],
    };
    this.#byField.set(name, column);
    for (let number = Math.max(column.filedAs.length, this.gone); number < this.#next; number++) {
      const value = of(items[number - this.gone]!);
      column.filedAs[number] = value;
      file(column, value)?.push(number);
    }
    return column;
  }

  reindex(item: Item): void {
    const number = this.#numbers.get(item);
    if (number === undefined) return;
    for (const column of this.#byField.values()) {
      const value = column.of(item);
      const former = column.filedAs[number];
      if (number >= column.filedAs.length || value === former) continue;
      column.filedAs[number] = value;
      const left = file(column, former);
      left?.splice(lowerBound(left, number), 1);
      const found = file(column, value);
      found?.splice(lowerBound(found, number), 0, number);
    }
  }

  #clear(): void {
    this.gone = this.#next = 0;
    this.#numbers = new WeakMap();
    this.#byField = new Map();
  }

  #number(item: Item): void {
    this.#numbers.set(item, this.#next++);
    this.#last = item;
    const known = homes.get(item);
    if (!known?.includes(this as never))
      homes.set(item, known ? [...known, this as never] : this.alone);
  }
}

function file<Item>(
  { byValue }: FieldIndex<Item>,
  value: Literal | undefined,
): number[] | undefined {
  if (value === undefined) return undefined;
  const numbers = byValue.get(value) ?? [];
  byValue.set(value, numbers);
  return numbers;
}

const ofList = /* @__PURE__ */ new WeakMap<object, ListIndex<never>>();
const homes = /* @__PURE__ */ new WeakMap<object, readonly ListIndex<never>[]>();

/** Numbers of a list's items by value, up to date; `gone` is the number of the first item. */
export interface IndexView {
  readonly gone: number;
  numbersOf(field: string, literal: Literal): readonly number[];
}

/** How to look a list up by its indexed fields. It must grow at its end and may be cut at its beginning; other changes cost a new beginning. */
export function indexOf<Item extends object>(
  items: readonly Item[],
  fields: Fields<Item>,
): IndexView {
  const columns = (ofList.get(items) ?? new ListIndex<Item>()) as ListIndex<Item>;
  ofList.set(items, columns as never);
  columns.follow(items);
  const column = (name: string): FieldIndex<Item> => columns.column(items, name, fields[name]!);
  return {
    gone: columns.gone,
    numbersOf: (name, literal) => column(name).byValue.get(literal) ?? [],
  };
}

/** To be called after a change of an item's field that is `indexed`. */
export function refile(item: object): void {
  for (const columns of homes.get(item) ?? []) columns.reindex(item as never);
}
