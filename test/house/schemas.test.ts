// Protects: how the wire writes objects, absence and open words is decided in one file;
// a schema written around it would not be held to its model by the compiler.
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { nodesOf, sourceFiles, textOf } from './source.ts';

const RESERVED = [
  'object',
  'looseObject',
  'strictObject',
  'objectWithRest',
  'optional',
  'exactOptional',
  'nullish',
  'nullable',
  'undefinedable',
  'picklist',
  'enum',
  'union',
  'variant',
];

interface Imported {
  readonly source?: { readonly value?: unknown };
  readonly specifiers?: readonly {
    readonly local: { readonly name: string };
    readonly imported?: { readonly name: string };
  }[];
}

const reservedIn = (code: string): string[] => {
  const nodes = [...nodesOf(code)];
  const specifiers = nodes
    .filter(
      (node) => node.type === 'ImportDeclaration' && (node as Imported).source?.value === 'valibot',
    )
    .flatMap((node) => (node as Imported).specifiers ?? []);
  const spaces = specifiers.filter(({ imported }) => !imported).map(({ local }) => local.name);
  const named = specifiers.flatMap(({ imported }) => imported?.name ?? []);
  const members = nodes.flatMap((node) => {
    const { type, object, property } = node as {
      type: string;
      object?: { name?: string };
      property?: { name?: string };
    };
    return type === 'MemberExpression' && spaces.includes(object?.name ?? '')
      ? (property?.name ?? [])
      : [];
  });
  return [...named, ...members].filter((name) => RESERVED.includes(name));
};

describe('schemas', () => {
  it('are recognised however valibot is imported', () => {
    expect(reservedIn("import * as v from 'valibot'; v.object({}); v.string()")).to.deep.equal([
      'object',
    ]);
    expect(reservedIn("import { optional as o } from 'valibot'; o()")).to.deep.equal(['optional']);
  });

  it('of objects, absence and open words are made in resources/shape.ts only', () => {
    const found = sourceFiles
      .filter((file) => file !== 'resources/shape.ts')
      .flatMap((file) => reservedIn(textOf(file)).map((name) => `${file}: ${name}`));
    expectNone(found);
  });
});
