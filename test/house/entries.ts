// The published entries and what can be reached from them in the built files.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root, specifiersOf } from './source.ts';

export interface Entry {
  /** The name that a user imports, such as `paystate/rx`. */
  readonly specifier: string;
  readonly javascript: string;
  readonly declarations: string;
  /** It types the elements for a framework, which only `test/libraries` installs. */
  readonly isForFramework: boolean;
}

interface Manifest {
  readonly sideEffects: unknown;
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<
      string,
      | string
      | {
          readonly types: string;
          readonly workerd?: string;
          readonly node?: string;
          readonly default: string;
        }
    >
  >;
}

export const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

export const entries: readonly Entry[] = Object.entries(manifest.exports).flatMap(
  ([path, target]) =>
    typeof target === 'string'
      ? []
      : {
          specifier: `paystate${path.slice(1)}`,
          javascript: normalize(target.default),
          declarations: normalize(target.types),
          isForFramework: path.startsWith('./elements/'),
        },
);

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const targetOf = (file: string, specifier: string): string =>
  specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;

/** Built files reached from `file`, and the packages they import. */
export function reachedFrom(file: string): {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
} {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = [normalize(file)];
  for (let next = open.pop(); next; next = open.pop()) {
    if (files.has(next)) continue;
    files.add(next);
    const targets = specifiersOf(textOf(next)).map((specifier) =>
      targetOf(next as string, specifier),
    );
    for (const target of targets)
      if (target.startsWith('dist/'))
        open.push(target.replace(/\.js$/, next.endsWith('.d.ts') ? '.d.ts' : '.js'));
      else
        packages.add(
          target.startsWith('@')
            ? target.split('/').slice(0, 2).join('/')
            : (target.split('/')[0] as string),
        );
  }
  return { files, packages };
}

export { textOf as builtText };
