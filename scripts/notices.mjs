// What a bundle of other people's code has to carry: their notices beside it, and a source map with their sources.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'THIRD_PARTY_LICENSES';
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The packages of a chunk's modules, by name, with their folders. */
function packagesOf(modules) {
  const found = new Map();
  for (const id of Object.keys(modules)) {
    const [, folder, name] = PACKAGE.exec(id.replaceAll('\\', '/').replace('\0', '')) ?? [];
    if (name) found.set(name, folder);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function noticeOf(name, folder) {
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) throw new Error(`${name} has no licence text`);
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/** Names the packages at the end of the file, and writes their licences beside it. */
export function thirdPartyNotices() {
  return {
    name: 'third-party-notices',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle).filter(({ type }) => type === 'chunk')) {
        const packages = packagesOf(chunk.modules);
        const names = [...packages.keys()].join(', ');
        const end = chunk.code.lastIndexOf('//# sourceMappingURL');
        const at = end < 0 ? chunk.code.length : end;
        // at the end, where it moves no line of the map
        chunk.code = `${chunk.code.slice(0, at)}/*! With ${names}: see ${FILE} */\n${chunk.code.slice(at)}`;
        const rule = `\n${'-'.repeat(80)}\n\n`;
        this.emitFile({
          type: 'asset',
          fileName: FILE,
          source: `${chunk.fileName} has code of these packages.\n${rule}${[...packages].map(([name, folder]) => noticeOf(name, folder)).join(rule)}`,
        });
      }
    },
  };
}

/** The package has its own sources in `src`; those of others are only in the map. */
export function mapsWithoutOwnSources() {
  return {
    name: 'maps-without-own-sources',
    generateBundle(_, bundle) {
      for (const [file, asset] of Object.entries(bundle)) {
        if (!file.endsWith('.map')) continue;
        const map = JSON.parse(asset.source);
        map.sourcesContent = map.sources.map((source, at) =>
          source.includes('node_modules') ? map.sourcesContent[at] : null,
        );
        asset.source = JSON.stringify(map);
      }
    },
  };
}
