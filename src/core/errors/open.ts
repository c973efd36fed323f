/** Known texts first, then any text: the service may add values without notice. */
export type Open<Known extends string> = Known | (string & {});

declare const noun: unique symbol;

/** An opaque id of one noun: takes any plain string, but not another noun's id. */
export type Id<Noun extends string> = string & {
  /** Never present: keeps ids of different resources apart. */
  readonly [noun]?: Noun;
};
