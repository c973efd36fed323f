// Formats the arguments of `console.log` like Node does, for the output below a program.

/** Values that are nested deeper appear as `[Object]` or `[Array]`, as in Node. */
const MAX_DEPTH = 2;
const MAX_MEMBERS = 100;
const LINE = 72;

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);

const quoted = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? `"${text}"`
    : `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;

function joined(open: string, members: readonly string[], close: string, indent: string): string {
  if (members.length === 0) return `${open}${close}`;
  const line = `${open} ${members.join(', ')} ${close}`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  return `${open}\n${members.map((one) => `${indent}  ${one}`).join(',\n')}\n${indent}${close}`;
}

const textOfError = (error: Error): string => `${error.name}: ${error.message}`;

const named = (value: object): string => {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== 'Object' && name !== 'Array' ? `${name} ` : '';
};

function shallow(value: object): string | undefined {
  if (value instanceof Error) return textOfError(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return 'Promise';
  return undefined;
}

function membersOf(value: object, show: (member: unknown) => string): readonly string[] {
  if (Array.isArray(value) || value instanceof Set) return [...value].map(show);
  if (value instanceof Map) return [...value].map(([key, one]) => `${show(key)} => ${show(one)}`);
  return Object.entries(value).map(
    ([key, one]) => `${isName(key) ? key : quoted(key)}: ${show(one)}`,
  );
}

function showObject(value: object, depth: number, seen: readonly object[]): string {
  const text = shallow(value);
  if (text !== undefined) return text;
  if (seen.includes(value)) return '[Circular]';
  if (depth > MAX_DEPTH && Object.keys(value).length > 0)
    return Array.isArray(value) ? '[Array]' : '[Object]';
  const members = membersOf(value, (one) => showInside(one, depth + 1, [...seen, value]));
  const shown = members.slice(0, MAX_MEMBERS);
  if (members.length > MAX_MEMBERS) shown.push(`… ${members.length - MAX_MEMBERS} more`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${named(value)}${joined(open!, shown, close!, '  '.repeat(depth))}`;
}

function showInside(value: unknown, depth: number, seen: readonly object[]): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'function') return `[Function: ${value.name || 'anonymous'}]`;
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'object' && value !== null
    ? showObject(value, depth, seen)
    : String(value);
}

/** Formats one argument of `console.log`. A string stays the same. */
export const show = (value: unknown): string =>
  typeof value === 'string' ? value : showInside(value, 0, []);

/** Formats a thrown value. An error becomes its name and message. */
export const showThrown = (thrown: unknown): string =>
  thrown instanceof Error ? textOfError(thrown) : show(thrown);
