// The house as a table: which room may import which, and which packages it may use.
// The order is the order of building: a room may only import rooms above it.

export interface Room {
  readonly imports: readonly string[];
  /** Package → the files that may import it: a pattern below src. */
  readonly packages?: Readonly<Record<string, RegExp>>;
}

const anyFile = /./;

export const rooms: Readonly<Record<string, Room>> = {
  'core/platform': { imports: [] },
  'core/hosts': { imports: [] },
  'core/time': { imports: [] },
  'core/text': { imports: [] },
  'core/watch': { imports: ['core/time', 'core/errors'] },
  'core/errors': { imports: [] },
  'core/http': {
    imports: ['core/platform', 'core/hosts', 'core/time', 'core/watch', 'core/errors'],
    packages: { ofetch: /^core\/http\/transport\.ts$/ },
  },
  'core/protocol': { imports: [] },
  'core/lists': { imports: ['core/time', 'core/errors', 'core/http'] },
  money: { imports: ['core'] },
  lightning: {
    imports: ['core', 'money'],
    packages: {
      '@scure/base': anyFile,
      '@noble/hashes': /\/(signature|payee|hashes)\.ts$/,
      '@noble/secp256k1': /\/(signature|payee)\.ts$/,
    },
  },
  resources: { imports: ['core', 'money'], packages: { valibot: /\/wire\.ts$|\.schemas\.ts$/ } },
  stores: { imports: ['core'], packages: { 'node:': /^stores\/file\.ts$/ } },
  oauth: { imports: ['core', 'stores'], packages: { oauth4webapi: anyFile } },
  webhooks: { imports: ['core', 'resources', 'stores'] },
  state: { imports: ['core', 'resources'] },
  flows: { imports: ['core', 'money', 'lightning', 'resources', 'stores', 'state'] },
  generated: { imports: ['core', 'resources', 'state'] },
  index: { imports: ['core', 'money', 'resources', 'generated', 'state'] },
  rx: { imports: ['core', 'resources', 'state', 'flows'], packages: { rxjs: anyFile } },
  elements: {
    imports: ['core', 'money', 'resources', 'stores', 'state', 'flows'],
    packages: { uqr: anyFile },
  },
  react: {
    imports: ['core', 'resources', 'state', 'flows', 'index'],
    packages: { react: anyFile },
  },
  vue: { imports: ['core', 'resources', 'state', 'flows', 'index'], packages: { vue: anyFile } },
  'sandbox/time': { imports: ['core'] },
  'sandbox/provenance': { imports: ['core'] },
  'sandbox/world': {
    packages: { valibot: anyFile, '@noble/hashes': anyFile },
    imports: ['core', 'resources', 'sandbox/time', 'sandbox/provenance'],
  },
  'sandbox/query': { imports: ['core', 'sandbox/time', 'sandbox/provenance', 'sandbox/world'] },
  'sandbox/ledger': {
    imports: ['money', 'resources', 'sandbox/provenance', 'sandbox/world'],
  },
  'sandbox/faults': {
    packages: { valibot: anyFile },
    imports: ['core', 'resources', 'sandbox/world'],
  },
  'sandbox/resources': {
    packages: { '@noble/hashes': anyFile },
    imports: [
      'core',
      'money',
      'lightning',
      'resources',
      'generated',
      'sandbox/time',
      'sandbox/provenance',
      'sandbox/world',
      'sandbox/query',
      'sandbox/ledger',
      'sandbox/faults',
    ],
  },
  'sandbox/service': {
    imports: [
      'core',
      'sandbox/time',
      'sandbox/provenance',
      'sandbox/world',
      'sandbox/query',
      'sandbox/ledger',
      'sandbox/faults',
      'sandbox/resources',
    ],
  },
  'sandbox/webhooks': {
    packages: { '@noble/hashes': anyFile },
    imports: [
      'core',
      'sandbox/time',
      'sandbox/provenance',
      'sandbox/world',
      'sandbox/faults',
      'sandbox/resources',
    ],
  },
  'sandbox/oauth': {
    packages: { '@noble/hashes': anyFile },
    imports: ['core', 'sandbox/provenance', 'sandbox/world', 'sandbox/service'],
  },
  'sandbox/host': {
    packages: { valibot: anyFile },
    imports: [
      'core',
      'money',
      'lightning',
      'resources',
      'sandbox/time',
      'sandbox/provenance',
      'sandbox/world',
      'sandbox/query',
      'sandbox/ledger',
      'sandbox/faults',
      'sandbox/resources',
      'sandbox/service',
      'sandbox/webhooks',
      'sandbox/oauth',
    ],
  },
  sandbox: {
    imports: [
      'sandbox/time',
      'sandbox/provenance',
      'sandbox/world',
      'sandbox/query',
      'sandbox/ledger',
      'sandbox/faults',
      'sandbox/resources',
      'sandbox/service',
      'sandbox/webhooks',
      'sandbox/oauth',
      'sandbox/host',
    ],
  },
  relay: {
    imports: ['core', 'money', 'resources', 'stores', 'webhooks'],
    packages: { jose: anyFile },
  },
  host: { imports: ['core', 'resources', 'stores', 'webhooks', 'relay'] },
  testing: {
    packages: { valibot: /^testing\/parse-recording\.ts$/ },
    imports: [
      'core',
      'money',
      'lightning',
      'resources',
      'stores',
      'webhooks',
      'sandbox/time',
      'sandbox/world',
    ],
  },
  devtools: { imports: ['core', 'stores', 'state', 'flows', 'elements', 'testing'] },
  cli: {
    imports: [
      'core',
      'money',
      'resources',
      'stores',
      'webhooks',
      'flows',
      'elements',
      'devtools',
      'index',
      'endpoints',
      'doctor',
      'sandbox/webhooks',
      'sandbox/host',
      'sandbox',
      'host',
      'testing',
    ],
    packages: { 'node:': anyFile, uqr: /\/charge\.ts$/, valibot: /\/accounts-file\.ts$/ },
  },
  schemas: { imports: ['resources'] },
  endpoints: { imports: ['resources', 'core', 'generated'] },
  operations: { imports: ['generated'] },
  doctor: { imports: ['core', 'money', 'resources', 'webhooks', 'endpoints'] },
  messages: { imports: ['core', 'elements'] },
  bundle: {
    imports: ['money', 'flows', 'index', 'rx', 'elements', 'sandbox'],
  },
  'bundle-checkout': { imports: ['index', 'elements'] },
};

// Files at the top of src are the main entry's own, unless they are a door with its own name.
const DOORS = new Set([
  'schemas',
  'endpoints',
  'operations',
  'messages',
  'bundle',
  'bundle-checkout',
]);

// Parts of the house that consist of rooms of their own.
const WINGS = new Set(['core', 'sandbox']);

/**
 * The room a file below src lives in: a wing's folders and top files are rooms of their own, its
 * entry bears its name.
 */
export const roomOf = (file: string): string => {
  const [first = '', second = ''] = file.split('/');
  if (WINGS.has(first))
    return second === 'index.ts' ? first : `${first}/${second.replace(/\.ts$/, '')}`;
  if (first !== file) return first;
  const name = first.replace(/\.ts$/, '');
  return DOORS.has(name) ? name : 'index';
};

const wingOf = (file: string): string => file.split('/')[0]!;

/**
 * Tells whether the table lets a file import another: a wing's name there stands for all of its
 * rooms.
 */
export const mayImport = (file: string, target: string): boolean => {
  const [own, other] = [roomOf(file), roomOf(target)];
  const allowed = rooms[own]?.imports ?? [];
  return own === other || allowed.includes(other) || allowed.includes(wingOf(target));
};

/**
 * Tells whether a file of another room may import this one: each room of core is one file or has
 * one door. The sandbox has one door for the rest of the house; a room whose row names one of its
 * storeys may enter that.
 */
export const isDoor = (file: string, target: string): boolean => {
  if (wingOf(target) === 'core') return /^core\/(\w+\/index|\w+)\.ts$/.test(target);
  if (wingOf(target) !== 'sandbox' || wingOf(file) === 'sandbox') return true;
  const allowed = rooms[roomOf(file)]?.imports ?? [];
  return target === 'sandbox/index.ts' || allowed.includes(roomOf(target));
};
