// A plugin of Stryker: leaves out the code inside a drawn range that was not drawn itself. A node
// that holds a drawn one is never left out, for Stryker then leaves out all that is inside it.
interface Place {
  readonly line: number;
  readonly column: number;
}

interface Range {
  readonly start: Place;
  readonly end: Place;
}

interface Drawn extends Range {
  readonly file: string;
}

/** A node of the syntax tree with its way to it, as Babel gives it. */
interface NodePath {
  readonly node: { readonly loc?: Range | null };
  /** The member of its parent that holds it. */
  readonly key: string | number | null;
  readonly hub: { readonly file: { readonly opts: { readonly filename: string } } };
}

const { PAYSTATE_DRAWN = '[]' } = process.env;
const drawn = JSON.parse(PAYSTATE_DRAWN) as readonly Drawn[];

const isBefore = (a: Place, b: Place): boolean =>
  a.line < b.line || (a.line === b.line && a.column <= b.column);

const holds = (outer: Range, inner: Range): boolean =>
  isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);

/**
 * Tells whether it is the name of a member: Stryker cannot place a mutant in `'@@observable'() {}`.
 */
export const isName = ({ key }: Pick<NodePath, 'key'>): boolean => key === 'key';

function shouldIgnore(path: NodePath): string | undefined {
  if (isName(path)) return 'a name';
  const { loc } = path.node;
  const { filename } = path.hub.file.opts;
  const isKept = !loc || drawn.some((range) => filename.endsWith(range.file) && holds(loc, range));
  return isKept ? undefined : 'not drawn';
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'undrawn', value: { shouldIgnore } }];
