// Prints what the package depends on, as CycloneDX 1.6 (https://cyclonedx.org), from the lock alone: npm's own command
// leaves out a dependency that a development tool has as a peer.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** The place in the lock that an import of `name` from `owner` leads to. */
function placeOf(packages, owner, name) {
  for (
    let folder = owner;
    ;
    folder = folder.replace(/(^|\/)node_modules\/(?!.*node_modules\/).*$/, '')
  ) {
    const place = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') throw new Error(`the lock has no ${name} for ${owner || 'the package'}`);
  }
}

const hashesOf = (integrity = '') =>
  integrity
    .split(' ')
    .filter((text) => text.startsWith('sha512-'))
    .map((text) => ({
      alg: 'SHA-512',
      content: Buffer.from(text.slice(7), 'base64').toString('hex'),
    }));

/** Everything that an installation without options brings. */
export function createSbom() {
  const { name, version, license } = read('package.json');
  const { packages } = read('package-lock.json');
  const found = new Map();
  const visit = (owner) => {
    const places = Object.keys(packages[owner].dependencies ?? {}).map((one) =>
      placeOf(packages, owner, one),
    );
    found.set(owner, places);
    for (const place of places) if (!found.has(place)) visit(place);
  };
  visit('');
  const nameOf = (place) => place.replace(/^.*node_modules\//, '');
  const refOf = (place) =>
    place === '' ? purlOf(name, version) : purlOf(nameOf(place), packages[place].version);
  const places = [...found.keys()].filter(Boolean).sort();
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'library',
        'bom-ref': refOf(''),
        name,
        version,
        purl: refOf(''),
        licenses: [{ license: { id: license } }],
      },
    },
    components: places.map((place) => ({
      type: 'library',
      'bom-ref': refOf(place),
      name: nameOf(place),
      version: packages[place].version,
      purl: refOf(place),
      licenses: [{ license: { id: packages[place].license } }],
      hashes: hashesOf(packages[place].integrity),
    })),
    dependencies: ['', ...places].map((place) => ({
      ref: refOf(place),
      dependsOn: found.get(place).map(refOf).sort(),
    })),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(createSbom(), undefined, 2));
