import type { KnownTexts } from './resource.ts';
import type { OpenText } from './wire.ts';

/** Pairs an open text with all texts that are known of it: a missing one does not compile. */
export function knownTexts<K extends string>(
  schema: OpenText<K>,
  texts: Readonly<Record<NoInfer<K>, unknown>>,
): KnownTexts {
  return [schema, texts];
}
