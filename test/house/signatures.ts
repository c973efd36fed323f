// What every function that an entry exports takes, by its declaration: the kinds of each parameter,
// and the names of its options.
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { entries, type Entry } from './entries.ts';
import { root } from './source.ts';

/** A value that plain JavaScript may pass, by its kind. */
const KINDS: Readonly<Record<string, unknown>> = {
  number: 42,
  text: 'text',
  array: [],
  object: { unknownMember: 1 },
  null: null,
  function: () => {},
  boolean: true,
};

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  /** Values that its type refuses, by their kind. */
  readonly wrong: Readonly<Record<string, unknown>>;
  /** The options in it; none where it takes no options. */
  readonly options: readonly Parameter[];
}

export interface Signature {
  readonly specifier: string;
  readonly name: string;
  readonly call: (...given: readonly unknown[]) => unknown;
  readonly parameters: readonly Parameter[];
}

const COMPILER: ts.CompilerOptions = {
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  types: [],
  strict: true,
};

const published = entries.filter(({ isForFramework }) => !isForFramework);
const program = ts.createProgram(
  published.map(({ declarations }) => join(root, declarations)),
  COMPILER,
);
const checker = program.getTypeChecker();

const partsOf = (type: ts.Type): readonly ts.Type[] => {
  const bound = type.flags & ts.TypeFlags.TypeParameter ? type.getConstraint() : undefined;
  const whole = bound ?? type;
  return whole.isUnion() ? whole.types : [whole];
};

const isCallable = (type: ts.Type): boolean =>
  type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;

const isPlainObject = (type: ts.Type): boolean =>
  (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
  !(type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.StringLike)) &&
  !checker.isArrayLikeType(type) &&
  !isCallable(type);

/** True of what holds choices of the caller. A client, a store or a value of the service has more. */
const isOptions = (type: ts.Type): boolean =>
  isPlainObject(type) && OPTIONS.test(checker.typeToString(type));

const OPTIONS =
  /^\{|^Omit<|^Partial<Record<|^ResourceReads|^\w*Handlers<|^(Pick<)?\w*(Options|Draft|Filter|Choice|Change)(<|, | & |$)/;

const takes: Readonly<Record<string, (part: ts.Type) => boolean>> = {
  number: (part) => (part.flags & ts.TypeFlags.NumberLike) !== 0,
  // a text of a union can only be one of its own
  text: (part) =>
    (part.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0 ||
    (part.isIntersection() && part.types.some(({ flags }) => flags & ts.TypeFlags.String)),
  array: (part) => checker.isArrayLikeType(part),
  object: (part) => isPlainObject(part) && !isOptions(part) && !isNamed(part),
  null: (part) => (part.flags & ts.TypeFlags.Null) !== 0,
  function: isCallable,
  boolean: (part) => (part.flags & ts.TypeFlags.BooleanLike) !== 0,
};

/** True if some members have to be there, so that an object of others is none. */
function isNamed(type: ts.Type): boolean {
  return checker
    .getPropertiesOfType(type)
    .some(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0);
}

const ANYTHING = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter;

/** An option that is an object may have members of its maker's own: a clock, a store. */
function wrongFor(type: ts.Type, depth: number): Readonly<Record<string, unknown>> {
  const parts = partsOf(type);
  if (parts.some(({ flags }) => flags & ANYTHING)) return {};
  return Object.fromEntries(
    Object.entries(KINDS).filter(
      ([kind]) =>
        !parts.some((part) => takes[kind]!(part)) &&
        !(
          kind === 'object' &&
          depth > 0 &&
          parts.some((part) => isPlainObject(part) && !isOptions(part))
        ),
    ),
  );
}

function optionsOf(type: ts.Type, depth: number): readonly Parameter[] {
  if (depth > 2) return [];
  const members = partsOf(checker.getNonNullableType(type))
    .filter(isOptions)
    .flatMap((part) => checker.getPropertiesOfType(part))
    .filter(({ name }) => !name.startsWith('__@'))
    .map((member) => {
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
      return parameterOf(member.name, checker.getTypeOfSymbol(member), isOptional, depth + 1);
    });
  const merged = new Map<string, Parameter>();
  for (const member of members) {
    const before = merged.get(member.name);
    merged.set(member.name, before ? eitherOf(before, member) : member);
  }
  return [...merged.values()];
}

/** A member that two kinds of options have. */
function eitherOf(one: Parameter, other: Parameter): Parameter {
  return {
    ...one,
    isOptional: one.isOptional || other.isOptional,
    wrong: Object.fromEntries(Object.entries(one.wrong).filter(([kind]) => kind in other.wrong)),
  };
}

function parameterOf(name: string, type: ts.Type, isOptional: boolean, depth = 0): Parameter {
  return {
    name: name.replace(/^__\d+$/, 'options'),
    type: checker.typeToString(checker.getNonNullableType(type)),
    isOptional: isOptional || partsOf(type).some(({ flags }) => flags & ts.TypeFlags.Undefined),
    wrong: wrongFor(type, depth),
    options: name === 'members' ? [] : optionsOf(type, depth),
  };
}

/** Parameters that a rest parameter holds as a tuple stand for themselves. */
function parametersOf(signature: ts.Signature): readonly Parameter[] {
  return signature.getParameters().flatMap((symbol) => {
    const type = checker.getTypeOfSymbol(symbol);
    const at = symbol.valueDeclaration as ts.ParameterDeclaration | undefined;
    if (checker.isTupleType(type)) {
      const { target, ...tuple } = type as ts.TupleTypeReference;
      const types = checker.getTypeArguments({ target, ...tuple } as ts.TupleTypeReference);
      return types.map((one, i) =>
        parameterOf(
          (target.labeledElementDeclarations?.[i]?.name as ts.Identifier | undefined)?.text ??
            'options',
          one,
          (target.elementFlags[i]! & ts.ElementFlags.Optional) !== 0,
        ),
      );
    }
    if (at?.dotDotDotToken) return [];
    const isOptional = at?.questionToken !== undefined || at?.initializer !== undefined;
    return [parameterOf(symbol.name, type, isOptional)];
  });
}

/** The signature with the most parameters: the others are the same with fewer. */
function signatureOf(symbol: ts.Symbol): ts.Signature | undefined {
  const type = checker.getTypeOfSymbol(symbol);
  const all = [...type.getCallSignatures(), ...type.getConstructSignatures()];
  return all.reduce<ts.Signature | undefined>(
    (most, one) => (one.getParameters().length > (most?.getParameters().length ?? -1) ? one : most),
    undefined,
  );
}

function symbolsOf({ declarations }: Entry): ReadonlyMap<string, ts.Symbol> {
  const source = program.getSourceFile(join(root, declarations))!;
  const found = checker.getSymbolAtLocation(source);
  const symbols = found ? checker.getExportsOfModule(found) : [];
  return new Map(
    symbols.map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ]),
  );
}

const callOf = (made: unknown): Signature['call'] =>
  /^class\b/.test(Function.prototype.toString.call(made))
    ? (...given) => Reflect.construct(made as never, given)
    : (made as Signature['call']);

/** Every function that an entry exports; one that several export, once. */
export async function signatures(): Promise<readonly Signature[]> {
  const seen = new Set<unknown>();
  const found: Signature[] = [];
  for (const entry of published) {
    const symbols = symbolsOf(entry);
    const values: Readonly<Record<string, unknown>> = await import(entry.specifier);
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'function' || seen.has(value)) continue;
      seen.add(value);
      const signature = signatureOf(symbols.get(name)!);
      if (!signature) throw new Error(`${entry.specifier} ${name} has no signature`);
      const parameters = parametersOf(signature);
      found.push({ specifier: entry.specifier, name, call: callOf(value), parameters });
    }
  }
  return found;
}
