import type { FieldKind } from './grammar.ts';
import type { Literal } from './odata.ts';

/** How a filter gets at a field of an item. */
interface FieldReader<Item> {
  of(item: Item): Literal | undefined;
  /** Looked up without a scan. Where the field of an item changes, `reindex(item)` must follow. */
  readonly indexed?: true | undefined;
}

export interface Field<Item> extends FieldReader<Item> {
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
