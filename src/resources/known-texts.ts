import type { KnownTexts } from './resource.ts';
import type { OpenText } from './wire.ts';

/** Pairs an open text with a table of all its known texts. A missing one does not compile. */
export function knownTexts<K extends string>(
  schema: OpenText<K>,
  texts: Readonly<Record<NoInfer<K>, unknown>>,
): KnownTexts {
  return [schema, texts];
}
