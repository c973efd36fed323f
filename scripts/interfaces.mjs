// Writes the documented interface of each resource from its operations: npm run interfaces
// Editors show no comment through a mapped type, so what `client.invoices` offers is written out, without the connection.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript-5.9';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files of operations, relative to the top of the project. */
const operationFiles = () =>
  globSync('src/resources/*/operations.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();

const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/** The names of a resource by its folder: `payment-quotes` is `PaymentQuotes` and `client.paymentQuotes`. */
const namesOf = (folder) => {
  const words = folder.split('-');
  const type = words.map(capitalized).join('');
  return { type, member: type[0].toLowerCase() + type.slice(1) };
};

const isExported = (node) =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** Exported functions; of one with overloads these, not the one with the body. */
const operationsIn = (source) => {
  const functions = source.statements.filter(ts.isFunctionDeclaration).filter(isExported);
  const overloaded = new Set(functions.filter(({ body }) => !body).map(({ name }) => name.text));
  return functions.filter(({ body, name }) => !body || !overloaded.has(name.text));
};

const oneLine = (node) => node.getText().replace(/\s+/g, ' ').replace(/; }/g, ' }');

/** The comment as it stands, without what it says of the connection. */
const commentOf = (node, source) => {
  const comment = (ts.getLeadingCommentRanges(source.text, node.pos) ?? [])
    .map(({ pos, end }) => source.text.slice(pos, end))
    .findLast((text) => text.startsWith('/**'));
  if (!comment) throw new Error(`${source.fileName}: ${node.name.text} has no doc comment`);
  return comment.replace(/^ \* @param connection\b.*\n(?: \*(?! @)(?!\/).*\n)*/m, '');
};

const COLUMNS = 100;

/** A paragraph as lines; a code span is not broken. */
const filled = (text, columns) => {
  const lines = [''];
  for (const word of text.replace(/\s+/g, ' ').match(/(?:`[^`]*`|[^ `])+/g) ?? []) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
};

/** A comment where it is indented: its paragraphs are filled again, its examples stay. */
const indented = (comment, indent) => {
  if (!comment.includes('\n') && indent.length + comment.length <= COLUMNS) return indent + comment;
  const text = comment.replace(/^\/\*\*\s|\s*\*\/$/g, '').replace(/^ \* ?/gm, '');
  const [prose, ...examples] = text.split(/^(?=@example)/m);
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

const parameterText = (parameter) => {
  const { name, type, initializer, questionToken, dotDotDotToken } = parameter;
  if (!type || !ts.isIdentifier(name))
    throw new Error(`${parameter.getText()}: parameters of operations have a name and a type`);
  const isOptional = Boolean(initializer ?? questionToken);
  return `${dotDotDotToken ? '...' : ''}${name.text}${isOptional ? '?' : ''}: ${oneLine(type)}`;
};

const methodText = (operation, source) => {
  const [, ...parameters] = operation.parameters;
  const generics = operation.typeParameters?.map(oneLine).join(', ');
  const head = `${operation.name.text}${generics ? `<${generics}>` : ''}`;
  const signature = `${head}(${parameters.map(parameterText).join(', ')}): ${oneLine(operation.type)};`;
  return `${indented(commentOf(operation, source), '  ')}\n  ${signature}`;
};

/** Names that the signatures take from elsewhere. */
const namesIn = (operations) => {
  const names = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  for (const { parameters, type, typeParameters = [] } of operations)
    for (const part of [...parameters.slice(1), ...typeParameters, { type }])
      for (const node of [part.type, part.constraint, part.default]) if (node) visit(node);
  return names;
};

const importText = (names, specifier) =>
  names.length > 0 ? [`import type { ${names.join(', ')} } from '${specifier}';`] : [];

const importsOf = (operations, source) => {
  const used = namesIn(operations);
  const imported = source.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
    const bindings = statement.importClause?.namedBindings;
    const elements = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
    const names = elements.map(({ name }) => name.text).filter((name) => used.has(name));
    return importText(names, statement.moduleSpecifier.text);
  });
  const own = source.statements
    .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    .map(({ name }) => name.text)
    .filter((name) => used.has(name));
  return [...imported, ...importText(own, `./${basename(source.fileName)}`)];
};

const formatted = (file, text) => {
  const biome = join(root, 'node_modules/.bin/biome');
  const { status, stdout, stderr } = spawnSync(biome, ['format', `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const warning = (source) =>
  `// Made from ${source} by \`npm run interfaces\`: change functions and comments there.`;

/** What `operations.ts` of one resource says: its path below src, names, subject and functions. */
export function resourceOf(file, text = readFileSync(join(root, file), 'utf8')) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const [, subject] = /^\/\/ (.+)\n/.exec(text) ?? [];
  if (!subject) throw new Error(`${file}: its first line says what the resource is`);
  return {
    file,
    source,
    subject,
    operations: operationsIn(source),
    ...namesOf(basename(dirname(file))),
  };
}

/** The interface of one resource as text. */
export function interfaceOf({ file, source, subject, operations, type }) {
  const lines = [
    warning(basename(file)),
    ...importsOf(operations, source),
    '',
    indented(`/** ${subject} */`, ''),
    `export interface ${type} {`,
    operations.map((operation) => methodText(operation, source)).join('\n\n'),
    '}',
    '',
  ];
  return formatted(file, lines.join('\n'));
}

const memberText = ({ member, operations }) => {
  const names = new Set(operations.map(({ name }) => name.text));
  return `  ${member}: { ${[...names].map((name) => `${name}: ${member}.${name}`).join(', ')} },`;
};

/** What a client has of all resources, as text. */
export function clientResourcesOf(resources) {
  const folderOf = ({ file }) => `./${dirname(file).replace(/^src\//, '')}`;
  const lines = [
    warning('each operations.ts'),
    "import type { Unbound } from './core/http/index.ts';",
    ...resources.flatMap((one) => [
      `import type { ${one.type} } from '${folderOf(one)}/interface.ts';`,
      `import * as ${one.member} from '${folderOf(one)}/${basename(one.file)}';`,
    ]),
    '',
    '/**',
    ' * The resources of a client. They and their operations are plain members: a test can replace',
    ' * them.',
    ' */',
    'export interface Resources {',
    ...resources.map(
      ({ subject, member, type }) =>
        `${indented(`/** ${subject} */`, '  ')}\n  ${member}: ${type};`,
    ),
    '}',
    '',
    '/** Their operations, as functions of a connection. */',
    'export const operations: Unbound<Resources> = {',
    ...resources.map(memberText),
    '};',
    '',
  ];
  return formatted('src/client-resources.ts', lines.join('\n'));
}

/** Everything that is made here: text by file. */
export function interfaces() {
  const resources = operationFiles().map((file) => resourceOf(file));
  return new Map([
    ...resources.map((one) => [join(dirname(one.file), 'interface.ts'), interfaceOf(one)]),
    [
      'src/client-resources.ts',
      clientResourcesOf(resources.sort((a, b) => (a.member < b.member ? -1 : 1))),
    ],
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [file, text] of interfaces()) writeFileSync(join(root, file), text);
