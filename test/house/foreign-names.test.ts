// Protects: no plain object is a map of foreign names: a name such as `__proto__` or `constructor` finds and writes nothing. What is
// read or written by a name that only the run knows is guarded by `Object.hasOwn`, or its names are our own, which a line here says.
import { join } from 'node:path';
import { expect } from 'chai';
import { API, type Type, TypeFlags, type TypeParameter } from 'typescript/unstable/sync';
import { type ElementAccessExpression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';

/** Files in which names come from our own tables or were checked before, and why. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'core/errors/arguments.ts': 'members that a table of ours names',
  'core/http/call.ts': 'names of an address template of an endpoint',
  'core/http/agreement.ts': 'members that the table of endpoints names',
  'core/http/classify.ts': 'members that the table of endpoints names',
  'core/watch.ts': 'members of both values are compared and never used',
  'resources/resource.ts': 'states that were found in its own order',
  'resources/wire.ts': 'own members of a draft, and names of its schema',
  'resources/amounts.ts': 'members that the resource names',
  'resources/lost-responses.ts': 'the member that the endpoint names',
  'lightning/destination.ts': 'fields of our own errors',
  'flows/pay/rail.ts': 'the member that the rail names',
  'oauth/server.ts': 'members that the discovery document is checked for',
  'elements/dom.ts': 'attributes that our own elements set',
  'elements/checkout-parts.ts': 'parts of our own element',
  'elements/element-class.ts': 'properties of our own elements',
  'sandbox/query/lists.ts': 'fields of a filter that was checked when it was read',
  'sandbox/query/odata.ts': 'names that were checked against the parameters',
  'sandbox/world/checked.ts': 'members that a schema names',
  'sandbox/faults/rewrite.ts': 'own members of a response and of a schema of ours',
  'sandbox/resources/entity-store.ts': 'states of what the sandbox keeps',
  'sandbox/service/incoming.ts':
    'paths of the table of endpoints, and members that an endpoint names',
  'sandbox/service/service.ts': 'the member that the endpoint names',
  'sandbox/host/inspect.ts': 'names of the lists of the sandbox',
  'sandbox/host/control.ts': 'begins with a method and a blank, as no inherited member does',
  'doctor/drift.ts': 'members that the endpoint names',
  'devtools/inspect-client.ts': 'members that the timeline names',
  'devtools/devtools-panel.ts': 'keys that the listener has chosen',
  'webhooks/receive.ts': 'codes of our own errors',
  'webhooks/process-subject.ts':
    'refused where every object has it; handlers may be methods of a class',
  'relay/tokens.ts': 'members that the route names',
  'testing/marbles.ts': 'letters that are checked to be own members of the actions',
  'testing/make.ts': 'own members of what a test has made, and those that the maker names',
};

const api = new API({ cwd: root });
const openProjects = [join(root, 'tsconfig.json')];
const project = api.updateSnapshot({ openProjects }).getProjects()[0]!;
const { checker, program } = project;

/** A text that is not one of a few literals. */
function isWide(type: Type | undefined): boolean {
  if (!type) return false;
  if (type.flags & (TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.Any)) return true;
  if (type.flags & TypeFlags.TypeParameter)
    return isWide(checker.getConstraintOfTypeParameter(type as TypeParameter));
  const parts = type.flags & (TypeFlags.Union | TypeFlags.Intersection);
  return Boolean(parts) && (type as Type & { getTypes(): readonly Type[] }).getTypes().some(isWide);
}

const plain = (text: string) => text.replace(/\s|!|as \w+/g, '');

function accessesIn(node: Node, found: ElementAccessExpression[] = []): ElementAccessExpression[] {
  if (node.kind === SyntaxKind.ElementAccessExpression) found.push(node as ElementAccessExpression);
  node.forEachChild((child: Node) => void accessesIn(child, found));
  return found;
}

/** Places of a file whose names are foreign and unguarded. */
function faultsIn(file: string): string[] {
  const source = program.getSourceFile(file)!;
  const textOf = (node: Node) => source.text.slice(node.pos, node.end);
  return accessesIn(source as unknown as Node).flatMap((access) => {
    const { expression, argumentExpression: name } = access;
    const isLiteral =
      name.kind === SyntaxKind.StringLiteral || name.kind === SyntaxKind.NumericLiteral;
    if (isLiteral || !isWide(checker.getTypeAtLocation(name as Node))) return [];
    const guard = `Object.hasOwn(${plain(textOf(expression as Node))},${plain(textOf(name as Node))})`;
    if (plain(source.text.slice(Math.max(0, access.pos - 200), access.pos)).includes(guard))
      return [];
    return [`${file.split('/src/')[1]}: ${textOf(access as unknown as Node).trim()}`];
  });
}

const files = program
  .getSourceFileNames()
  .filter((file) => file.startsWith(join(root, 'src/')) && !file.endsWith('.d.ts'));
const faults = files.flatMap(faultsIn);
api.close();

describe('foreign names', () => {
  it('are seen by this test', () => {
    expect(files.length).to.be.above(300);
    expect(faults.some((fault) => fault.startsWith('core/watch.ts: '))).to.equal(true);
  });

  it('find and write nothing in plain objects', () => {
    expect(faults.filter((fault) => !OWN_NAMES[fault.split(': ')[0]!])).to.deep.equal([]);
  });

  it('are excused only in files that still need it', () => {
    const needed = new Set(faults.map((fault) => fault.split(': ')[0]!));
    expect(Object.keys(OWN_NAMES).filter((file) => !needed.has(file))).to.deep.equal([]);
  });
});
