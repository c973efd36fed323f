import type { FieldKind, Literal } from './odata.ts';

/** How a filter gets at a field of an item. */
export interface Field<Item> {
  readonly kind: FieldKind;
  of(item: Item): Literal | undefined;
  /** Looked up without a scan. Where the field of an item changes, `reindex(item)` must follow. */
  readonly indexed?: true | undefined;
}

export type Fields<Item> = Readonly<Record<string, Field<Item>>>;
/** A list in ascending order of `created`, with how to get at its fields. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly fields: Fields<Item>;
}
