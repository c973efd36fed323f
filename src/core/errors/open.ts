/** Known texts first, then any text: the service may add values without notice. */
export type Open<Known extends string> = Known | (string & {});

declare const resource: unique symbol;

/** An opaque id of one resource: takes any plain string, but not another resource's id. */
export type Id<Resource extends string> = string & { readonly [resource]?: Resource };
