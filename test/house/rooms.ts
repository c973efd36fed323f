// The house as a table: which room may import which, and which packages it may use.
// The order is the order of building: a room may only look at rooms above it.

export interface Room {
  readonly imports: readonly string[];
  /** Package → the files that may import it: a pattern below src. */
  readonly packages?: Readonly<Record<string, RegExp>>;
}

const anyFile = /./;

export const rooms: Readonly<Record<string, Room>> = {
  'core/platform': { imports: [] },
  'core/time': { imports: [] },
  'core/watch': { imports: ['core/time'] },
  'core/errors': { imports: [] },
  'core/http': {
    imports: ['core/platform', 'core/time', 'core/watch', 'core/errors'],
    packages: { ofetch: /^core\/http\/transport\.ts$/ },
  },
  'core/protocol': { imports: [] },
  'core/lists': { imports: ['core/time', 'core/errors', 'core/http'] },
  money: { imports: ['core'] },
  lightning: {
    imports: ['core', 'money'],
    packages: {
      '@scure/base': anyFile,
      '@noble/hashes': /\/(signature|payee|base58)\.ts$/,
      '@noble/secp256k1': /\/(signature|payee)\.ts$/,
    },
  },
  resources: { imports: ['core', 'money'], packages: { valibot: /\/(shape|schemas)\.ts$/ } },
  stores: { imports: ['core'], packages: { 'node:': /^stores\/file\.ts$/ } },
  oauth: { imports: ['core', 'stores'], packages: { oauth4webapi: anyFile } },
  webhooks: { imports: ['core', 'resources', 'stores'] },
  state: { imports: ['core', 'resources'] },
  flows: { imports: ['core', 'money', 'lightning', 'resources', 'stores', 'state'] },
  index: { imports: ['core', 'money', 'resources', 'state'] },
  rx: { imports: ['core', 'resources', 'state'], packages: { rxjs: anyFile } },
  elements: {
    imports: ['core', 'money', 'lightning', 'resources', 'state', 'flows'],
    packages: { uqr: anyFile },
  },
  sandbox: {
    imports: ['core', 'money', 'lightning', 'resources', 'stores'],
    packages: { valibot: anyFile, '@noble/hashes': anyFile },
  },
  relay: {
    imports: ['core', 'money', 'resources', 'stores', 'webhooks', 'state'],
    packages: { jose: anyFile },
  },
  testing: { imports: ['core', 'resources', 'stores', 'webhooks', 'state', 'flows', 'sandbox'] },
  cli: {
    imports: ['core', 'resources', 'stores', 'webhooks', 'flows', 'sandbox', 'testing', 'index'],
    packages: { 'node:': anyFile },
  },
  schemas: { imports: ['resources', 'core'] },
  endpoints: { imports: ['resources', 'core'] },
  operations: { imports: ['resources'] },
  messages: { imports: ['resources', 'core'] },
  bundle: {
    imports: [
      'core',
      'money',
      'lightning',
      'resources',
      'state',
      'flows',
      'index',
      'rx',
      'elements',
      'sandbox',
    ],
  },
};

// Files at the top of src are the main entry's own, unless they are a door with its own name.
const DOORS = new Set(['schemas', 'endpoints', 'operations', 'messages', 'bundle']);

/** The room a file below src lives in; core consists of rooms of its own. */
export const roomOf = (file: string): string => {
  const [first = '', second = ''] = file.split('/');
  if (first === 'core') return `${first}/${second.replace(/\.ts$/, '')}`;
  if (first !== file) return first;
  const name = first.replace(/\.ts$/, '');
  return DOORS.has(name) ? name : 'index';
};

/** Whether the table lets a file import another: `core` there stands for all of core's rooms. */
export const mayImport = (file: string, target: string): boolean => {
  const [own, other] = [roomOf(file), roomOf(target)];
  const allowed = rooms[own]?.imports ?? [];
  return own === other || allowed.includes(other) || allowed.includes(other.split('/')[0]!);
};

/** Whether a file stands open to other rooms: in core only `index.ts` of a room, and `protocol.ts`. */
export const isDoor = (file: string): boolean =>
  !file.startsWith('core/') || /^core\/(\w+\/index|protocol)\.ts$/.test(file);
