import { ask, type Said } from './ask.ts';
import { buttonOf, type Line, make } from './dom.ts';
import { type Act, timeOf } from './lines.ts';
import { textOf } from './resources.ts';

/** A behaviour that responses rest on, as the control's report has it. */
export interface Use {
  readonly id: string;
  /** How well founded it is: `documented`, `public`, `inferred` or `assumed`. */
  readonly source: string;
  readonly says: string;
  readonly money: boolean;
  readonly count: number;
}

interface Logged {
  readonly call: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status?: number;
  readonly code?: string;
  readonly fault?: unknown;
  readonly behaviours?: readonly string[];
  readonly requestBody?: string;
  readonly responseBody?: string;
}

/** Each request with its response: what was sent and received, and what it rests on, to unfold. */
export function requestLines(log: readonly Said[], uses: readonly Use[]): readonly Line[] {
  const byId = new Map(uses.map((use) => [use.id, use]));
  return log.map((said) => {
    const one = said as unknown as Logged;
    const founded = (one.behaviours ?? []).flatMap((id) => byId.get(id) ?? []);
    return {
      key: `${one.call}`,
      mark: JSON.stringify(said),
      make: () => requestLine(one, founded),
    };
  });
}

function requestLine(one: Logged, uses: readonly Use[]): HTMLElement {
  const { at, method, path, query, status, code, fault, requestBody, responseBody } = one;
  const result = [status ?? 'no answer', code, fault && `fault: ${JSON.stringify(fault)}`]
    .filter(Boolean)
    .join(', ');
  const reasons = reasonsIn(responseBody, code);
  return make(
    'li',
    {},
    make(
      'details',
      {},
      make(
        'summary',
        { class: 'what' },
        make(
          'span',
          { 'data-failed': `${(status ?? 999) >= 400}` },
          `${method} ${path}: ${result}`,
        ),
        ' ',
        ...[...new Set(uses.map(({ source }) => source))].map(labelOf),
      ),
      ...bodyOf('Sent', requestBody),
      ...bodyOf('Received', responseBody),
      make('ul', {}, ...uses.map(useLine)),
    ),
    ...reasons.map((reason) => make('p', { class: 'reason' }, reason)),
    make('p', { class: 'hint' }, [query, timeOf(at)].filter(Boolean).join(' · ')),
  );
}

function labelOf(source: string): HTMLElement {
  return make('span', { class: 'source', 'data-source': source }, source);
}

function bodyOf(title: string, text: string | undefined): readonly HTMLElement[] {
  if (text === undefined) return [];
  const named = { tabindex: '0', role: 'group', 'aria-label': title };
  return [make('p', { class: 'label' }, title), make('pre', named, prettyOf(text))];
}

function prettyOf(text: string): string {
  const read = parse(text);
  return read === undefined ? text : JSON.stringify(read, null, 2);
}

/** Absent where it is no JSON, or was cut. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Envelope {
  readonly data?: {
    readonly message?: unknown;
    readonly values?: Said;
    readonly validationErrors?: Readonly<Record<string, readonly Said[]>>;
  };
}

/** Why a request was refused, as its envelope says it. */
function reasonsIn(body: string | undefined, code: string | undefined): readonly string[] {
  if (body === undefined || code === undefined) return [];
  const { message, values = {}, validationErrors = {} } = (parse(body) as Envelope)?.data ?? {};
  const fields = Object.values(validationErrors)
    .flat()
    .map((error) => textOf(error['message']));
  const facts = Object.entries(values).map(([name, value]) =>
    ['says', 'advice'].includes(name) ? textOf(value) : `${name}: ${plainOf(value)}`,
  );
  return [...(message === code ? [] : [textOf(message)]), ...fields, ...facts].filter(Boolean);
}

function plainOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function useLine({ source, says, money, id }: Use): HTMLElement {
  const name = make('code', {}, id);
  return make('li', {}, labelOf(source), ' ', name, ` ${says}${money ? ' (money)' : ''}`);
}

/** What the responses so far rest on, the riskiest first. */
export function useLines(uses: readonly Use[]): readonly Line[] {
  return uses.map((use) => ({
    key: use.id,
    mark: `${use.count}`,
    make: () => {
      const line = useLine(use);
      line.append(make('p', { class: 'hint' }, use.count === 1 ? 'once' : `${use.count} times`));
      return line;
    },
  }));
}

/** The keys of an account, each with a button that revokes it. */
export function keyLines(keys: readonly Said[], act: Act): readonly Line[] {
  return keys.map((key) => {
    const { scopes, isRevoked } = key;
    const apiKey = textOf(key['apiKey']);
    const name = `API key ${apiKey.slice(0, 8)}${apiKey.length > 8 ? '…' : ''}`;
    return {
      key: apiKey,
      mark: JSON.stringify(key),
      make: () =>
        make(
          'li',
          { 'aria-label': name },
          make('p', {}, make('code', {}, apiKey)),
          make(
            'p',
            { class: 'hint' },
            scopes ? (scopes as string[]).join(', ') || 'may do nothing' : 'may do everything',
          ),
          isRevoked
            ? make('p', { class: 'state', 'data-state': 'FAILED' }, 'REVOKED')
            : make(
                'p',
                { class: 'actions' },
                buttonOf('Revoke', `Revoke: ${name}`, () =>
                  act('Revoke', () => ask('POST', 'revoke', { apiKey })),
                ),
              ),
        ),
    };
  });
}
