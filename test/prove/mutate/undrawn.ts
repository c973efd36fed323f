// A plugin of Stryker: leaves out the code inside a drawn range that was not drawn itself. A node that holds a drawn
// one is never left out, for Stryker then leaves out all that is inside it.
interface Place {
  readonly line: number;
  readonly column: number;
}

interface Range {
  readonly start: Place;
  readonly end: Place;
}

interface NodePath {
  readonly node: { readonly loc?: Range | null };
}

const { PAYSTATE_DRAWN = '[]' } = process.env;
const drawn = JSON.parse(PAYSTATE_DRAWN) as readonly Range[];

const isBefore = (a: Place, b: Place): boolean =>
  a.line < b.line || (a.line === b.line && a.column <= b.column);

const holds = (outer: Range, inner: Range): boolean =>
  isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);

const shouldIgnore = ({ node: { loc } }: NodePath): string | undefined =>
  !loc || drawn.length === 0 || drawn.some((range) => holds(loc, range)) ? undefined : 'not drawn';

export const strykerPlugins = [{ kind: 'Ignore', name: 'undrawn', value: { shouldIgnore } }];
