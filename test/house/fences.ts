// The fenced code of Markdown texts.
import { documents, FENCE, textOfDocument } from './documents.ts';

export interface Fence {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

export function fencesOf(markdown: string): readonly Fence[] {
  return [...markdown.matchAll(FENCE)].map(({ index, 2: language = '', 3: code = '' }) => ({
    language: language.trim(),
    code,
    line: markdown.slice(0, index).split('\n').length,
  }));
}

/** A fence of a document. */
export interface PlacedFence extends Fence {
  /** File and line. */
  readonly place: string;
}

export const fencesOfDocuments: readonly PlacedFence[] = documents.flatMap((document) =>
  fencesOf(textOfDocument(document)).map((fence) => ({
    ...fence,
    place: `${document}:${fence.line}`,
  })),
);
