// Writes src/generated from the resources in every build. Git ignores the folder.
// The client's interfaces are written out, because editors show no comments through a mapped type.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';

const root = fileURLToPath(new URL('..', import.meta.url));

const RESOURCES = 'src/resources';
const GENERATED = 'src/generated';

interface Registered {
  /** The name in the client, such as `currencyExchangeQuotes`. */
  readonly member: string;
  /** The name of its file, such as `currency-exchange-quotes`. */
  readonly name: string;
}

/** A function of `state/index.ts` that watches one resource. */
interface Watch {
  readonly watch: ts.FunctionDeclaration;
  readonly source: ts.SourceFile;
}

export interface Resource extends Registered {
  readonly file: string;
  /** The name of its interface. */
  readonly type: string;
  /** One sentence about the resource, for its comment. */
  readonly subject: string;
  readonly source: ts.SourceFile;
  readonly watched: Watch | undefined;
  readonly operations: readonly ts.FunctionDeclaration[];
  readonly endpoints: readonly string[];
}

/** Returns the member and the file name of each resource in the registry. */
const registered = (): readonly Registered[] => {
  const registry = readFileSync(join(root, RESOURCES, 'registry.ts'), 'utf8');
  const lines = registry.matchAll(/^export \* as (\w+) from '\.\/([\w-]+)\.ts';$/gm);
  return [...lines].map(([, member, name]) => ({ member: member!, name: name! }));
};

const capitalized = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const takesConnection = ({ parameters: [first] }: ts.FunctionDeclaration): boolean =>
  first?.type?.getText() === 'Connection';

const nameOf = ({ name }: ts.FunctionDeclaration): string => name?.text ?? '';

/**
 * Returns the exported functions of a connection. Of an overloaded function, only the overloads.
 */
const operationsIn = (source: ts.SourceFile): readonly ts.FunctionDeclaration[] => {
  const functions = source.statements
    .filter(ts.isFunctionDeclaration)
    .filter(isExported)
    .filter(takesConnection);
  const overloaded = new Set(functions.filter(({ body }) => !body).map(nameOf));
  return functions.filter((one) => !one.body || !overloaded.has(nameOf(one)));
};

const ENDPOINT = /^(\w+)Endpoint$/;

/** Returns the names of exported constants such as `createEndpoint`, without the ending. */
const endpointsIn = (source: ts.SourceFile): readonly string[] =>
  source.statements
    .filter(ts.isVariableStatement)
    .filter(isExported)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name }) => ENDPOINT.exec(name.getText())?.[1] ?? []);

const oneLine = (node: ts.Node): string =>
  node.getText().replace(/\s+/g, ' ').replace(/; }/g, ' }');

/** Returns the comment of an operation, without its `@param connection`. */
const commentOf = (node: ts.FunctionDeclaration, source: ts.SourceFile): string => {
  const comment = (ts.getLeadingCommentRanges(source.text, node.pos) ?? [])
    .map(({ pos, end }) => source.text.slice(pos, end))
    .findLast((text) => text.startsWith('/**'));
  if (!comment) throw new Error(`${source.fileName}: ${nameOf(node)} has no doc comment`);
  return comment.replace(/^ \* @param connection\b.*\n(?: \*(?! @)(?!\/).*\n)*/m, '');
};

const COLUMNS = 100;

/** Breaks a paragraph into lines, but never inside a code span. */
const filled = (text: string, columns: number): readonly string[] => {
  const lines = [''];
  for (const word of text.replace(/\s+/g, ' ').match(/(?:`[^`]*`|[^ `])+/g) ?? []) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
};

/** Indents a comment. Wraps its paragraphs again, and leaves its examples alone. */
const indented = (comment: string, indent: string): string => {
  if (!comment.includes('\n') && indent.length + comment.length <= COLUMNS) return indent + comment;
  const text = comment.replace(/^\/\*\*\s|\s*\*\/$/g, '').replace(/^ \* ?/gm, '');
  const [prose = '', ...examples] = text.split(/^(?=@example)/m);
  const lines = [
    ...prose
      .trimEnd()
      .split(/\n(?=@|- |\n)|(?<=\n)\n/)
      .flatMap((paragraph) => filled(paragraph, COLUMNS - indent.length - 3)),
    ...(examples.length > 0 && prose.endsWith('\n\n') ? [''] : []),
    ...examples.join('').split('\n').filter(Boolean),
  ];
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */']
    .map((line) => indent + line)
    .join('\n');
};

const WATCHES = 'src/state/index.ts';

function namedImports({ importClause }: ts.ImportDeclaration): readonly ts.ImportSpecifier[] {
  const bindings = importClause?.namedBindings;
  return bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
}

const specifierOf = ({ moduleSpecifier }: ts.ImportDeclaration): string =>
  ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';

/**
 * Returns the file of the resource that a function of `state/index.ts` watches, found by its
 * import.
 */
function watchedBy({ watch, source }: Watch): string | undefined {
  const body = watch.body?.getText() ?? '';
  const [, local] = /\bwatch(?:Entity|One)\(\s*client,\s*(\w+)/.exec(body) ?? [];
  const imported = source.statements
    .filter(ts.isImportDeclaration)
    .find((statement) =>
      namedImports(statement).some(
        ({ name, propertyName }) => name.text === local && propertyName?.text === 'resource',
      ),
    );
  return imported && basename(specifierOf(imported), '.ts');
}

/** Returns the functions that watch one resource, by the file name of the resource. */
function watchesByFile(
  text = readFileSync(join(root, WATCHES), 'utf8'),
): ReadonlyMap<string, Watch> {
  const source = ts.createSourceFile(WATCHES, text, ts.ScriptTarget.ESNext, true);
  const functions = operationsIn(source).filter(({ body }) => body);
  return new Map(
    functions.flatMap((watch) => {
      const file = watchedBy({ watch, source });
      return file ? [[file, { watch, source }] as const] : [];
    }),
  );
}

const LATER =
  ' *\n * The code for watching loads at the first subscription. If that fails, `error` has the reason, and the\n' +
  ' * watch tries again.\n';

/** Returns the comment of a watch as a member of the client. */
const watchComment = ({ watch, source }: Watch, member: string): string => {
  const call = new RegExp(`\\b${nameOf(watch)}\\(client(?:, )?`, 'g');
  return commentOf(watch, source)
    .replace(call, `client.${member}.watch(`)
    .replace(/^(?: \*\n)?(?= \* @)/m, `${LATER} *\n`);
};

const parameterText = (parameter: ts.ParameterDeclaration): string => {
  const { name, type, initializer, questionToken, dotDotDotToken } = parameter;
  if (!type || !ts.isIdentifier(name))
    throw new Error(`${parameter.getText()}: parameters of operations have a name and a type`);
  const isOptional = Boolean(initializer ?? questionToken);
  return `${dotDotDotToken ? '...' : ''}${name.text}${isOptional ? '?' : ''}: ${oneLine(type)}`;
};

const methodText = (
  operation: ts.FunctionDeclaration,
  source: ts.SourceFile,
  name = nameOf(operation),
  comment = commentOf(operation, source),
): string => {
  const [, ...parameters] = operation.parameters;
  const generics = operation.typeParameters?.map(oneLine).join(', ');
  const head = `${name}${generics ? `<${generics}>` : ''}`;
  const signature = `${head}(${parameters.map(parameterText).join(', ')}): ${oneLine(operation.type!)};`;
  return `${indented(comment, '  ')}\n  ${signature}`;
};

/** Returns all names in the signatures of some operations. */
const namesIn = (operations: readonly ts.FunctionDeclaration[]): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  for (const { parameters, type, typeParameters = [] } of operations) {
    const types = [...parameters.slice(1).map((parameter) => parameter.type), type];
    const generics = typeParameters.flatMap((one) => [one.constraint, one.default]);
    for (const node of [...types, ...generics]) if (node) visit(node);
  }
  return names;
};

/** Converts an import path of a room's file for use in a generated file. */
const fromGenerated = (specifier: string, room: string): string =>
  specifier.replace(/^\.\//, `../${room}/`);

type Import = readonly [specifier: string, name: string];

/** Returns the imports that the signatures of a resource need. */
const importsOf = ({ operations, source, file, watched }: Resource): readonly Import[] => [
  ...importsFor(operations, source, file),
  ...(watched ? importsFor([watched.watch], watched.source, WATCHES) : []),
];

function importsFor(
  operations: readonly ts.FunctionDeclaration[],
  source: ts.SourceFile,
  file: string,
): readonly Import[] {
  const used = namesIn(operations);
  const room = basename(dirname(file));
  const imported = source.statements
    .filter(ts.isImportDeclaration)
    .flatMap((statement) =>
      namedImports(statement).map(
        ({ name }): Import => [fromGenerated(specifierOf(statement), room), name.text],
      ),
    );
  const own = source.statements
    .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    .map(({ name }): Import => [`../${room}/${basename(file)}`, name.text]);
  return [...imported, ...own].filter(([, name]) => used.has(name));
}

const importLines = (imports: readonly Import[]): readonly string[] => {
  const bySpecifier = new Map<string, Set<string>>();
  for (const [specifier, name] of imports)
    bySpecifier.set(specifier, (bySpecifier.get(specifier) ?? new Set()).add(name));
  return [...bySpecifier]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([specifier, names]) =>
        `import type { ${[...names].sort().join(', ')} } from '${specifier}';`,
    );
};

const formatted = (text: string): string => {
  const biome = join(root, 'node_modules/.bin/biome');
  const { status, stdout, stderr } = spawnSync(biome, ['format', '--stdin-file-path=src/made.ts'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const WARNING = '// Made by the build from src/resources: change functions and comments there.';

/** Reads the file of a resource: its names, subject, operations and endpoints. */
export function resourceOf(
  { member, name }: Registered,
  text = readFileSync(join(root, RESOURCES, `${name}.ts`), 'utf8'),
  watched = watchesByFile().get(name),
): Resource {
  const file = `${RESOURCES}/${name}.ts`;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const [, subject] = /^\/\/ (.+)\n/.exec(text) ?? [];
  if (!subject) throw new Error(`${file}: its first line says what the resource is`);
  if (/\bresource: WatchedResource</.test(text) !== Boolean(watched))
    throw new Error(`${file}: one function of ${WATCHES} watches what can be watched`);
  return {
    file,
    name,
    member,
    type: capitalized(member),
    subject,
    source,
    watched,
    operations: operationsIn(source),
    endpoints: endpointsIn(source),
  };
}

const namesOf = ({ operations }: Resource): readonly string[] => [
  ...new Set(operations.map(nameOf)),
];

const watchText = (watched: Watch, member: string): string =>
  methodText(watched.watch, watched.source, 'watch', watchComment(watched, member));

const interfaceText = (resource: Resource): string =>
  [
    `// Made from ${resource.file}${resource.watched ? ` and ${WATCHES}` : ''}.`,
    indented(`/** ${resource.subject} */`, ''),
    `interface ${resource.type} {`,
    [
      ...resource.operations.map((operation) => methodText(operation, resource.source)),
      ...(resource.watched ? [watchText(resource.watched, resource.member)] : []),
    ].join('\n\n'),
    '}',
    '',
  ].join('\n');

/** Tells if a client has only one of this resource, so that it's watched without an id. */
const isSingle = ({ watch }: Watch): boolean => watch.parameters.length === 2;

/** Returns the resource's name, and the member that holds its id, from its file. */
const nameIn = ({ source }: Resource): string =>
  /\bconst resource\b[^]*?\bname: '(\w+)'/.exec(source.text)![1]!;
const idMemberIn = ({ source }: Resource): string =>
  /\bconst resource\b[^]*?\bidOf: \(\{ (\w+) \}\)/.exec(source.text)![1]!;

const memberText = (resource: Resource): string => {
  const { member, watched } = resource;
  const operations = namesOf(resource).map((name) => `${name}: ${member}.${name}`);
  if (watched) {
    const make = isSingle(watched) ? 'watchAllLater' : 'watchLater';
    const more = isSingle(watched) ? '' : `, '${idMemberIn(resource)}'`;
    operations.push(`watch: ${make}(loadEngine, '${nameIn(resource)}'${more})`);
  }
  return `  ${member}: { ${operations.join(', ')} },`;
};

/**
 * Returns the text of `resources.ts`, with an interface for each resource and a table of all
 * operations.
 */
export function resourcesText(resources: readonly Resource[]): string {
  const hasWatches = resources.some(({ watched }) => watched);
  const lines = [
    WARNING,
    ...importLines([
      ['../core/http/index.ts', 'Unbound'],
      ...resources.flatMap((one) => importsOf(one)),
    ]),
    ...resources.map(({ member, name }) => `import * as ${member} from './operations/${name}.ts';`),
    ...(hasWatches
      ? ["import { type EngineModule, watchAllLater, watchLater } from '../state/late-watch.ts';"]
      : []),
    '',
    ...resources.map(interfaceText),
    '/**',
    ' * The resources of a client. They and their operations are plain members, so your test can',
    ' * replace them.',
    ' */',
    'export interface Resources {',
    ...resources.map(
      ({ subject, member, type }) =>
        `${indented(`/** ${subject} */`, '  ')}\n  ${member}: ${type};`,
    ),
    '}',
    '',
    ...(hasWatches
      ? [
          '/** Loads the watch engine for the `watch` of each resource. */',
          "const loadEngine = (): Promise<EngineModule> => import('./engine.ts');",
          '',
        ]
      : []),
    '/** Their operations, as functions of a connection. */',
    'export const operations: Unbound<Resources> = {',
    ...resources.map(memberText),
    '};',
    '',
  ];
  return formatted(lines.join('\n'));
}

/** Returns the text of `engine.ts`, the code behind each `watch` of a client, which loads later. */
function engineText(resources: readonly Resource[]): string {
  const watched = resources.filter((one) => one.watched);
  const lines = [
    WARNING,
    ...watched.map(
      ({ member, name }) => `import { resource as ${member} } from '../resources/${name}.ts';`,
    ),
    "import type { WatchEngine } from '../state/late-watch.ts';",
    "import { makeEngine } from '../state/watch-one.ts';",
    '',
    '/** The watch engine, for the members of a client. */',
    `export const engine: WatchEngine = makeEngine([${watched.map(({ member }) => member).join(', ')}]);`,
    '',
  ];
  return formatted(lines.join('\n'));
}

const doorText = (comment: string, names: readonly string[], { name }: Resource): string => {
  const lines = names.map((one) => `  ${one},\n`).join('');
  return `${WARNING}\n${comment}\nexport {\n${lines}} from '../../resources/${name}.ts';\n`;
};

const operationsText = (resource: Resource): string => {
  const { member } = resource;
  const comment = `// The operations of \`client.${member}\`, as functions of a connection.`;
  return doorText(comment, namesOf(resource), resource);
};

const endpointsText = (resource: Resource): string => {
  const { member, endpoints } = resource;
  const comment = `// The requests of \`client.${member}\`, as data.`;
  return doorText(
    comment,
    endpoints.map((name) => `${name}Endpoint as ${name}`),
    resource,
  );
};

/** Returns all generated files, as texts by path. */
export function generated(): ReadonlyMap<string, string> {
  const resources = registered().map((one) => resourceOf(one));
  return new Map<string, string>([
    [`${GENERATED}/resources.ts`, resourcesText(resources)],
    [`${GENERATED}/engine.ts`, engineText(resources)],
    ...resources.flatMap((one): [string, string][] => [
      [`${GENERATED}/operations/${one.name}.ts`, operationsText(one)],
      [`${GENERATED}/endpoints/${one.name}.ts`, endpointsText(one)],
    ]),
  ]);
}

const textIn = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Writes the files that differ, and removes those that are no longer generated. */
export function generate(): void {
  const files = generated();
  for (const [file, text] of files) {
    const path = join(root, file);
    if (textIn(path) === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const entry of readdirSync(join(root, GENERATED), {
    recursive: true,
    withFileTypes: true,
  })) {
    const file = join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/');
    if (entry.isFile() && !files.has(file)) rmSync(join(root, file));
  }
}
