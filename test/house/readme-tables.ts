// The documents' tables as the code has them: `npm run generate -- tables` writes them between their markers, a test holds them there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Next } from 'paystate';
import {
  decide,
  decisionTable,
  eventTypes,
  invoiceStates,
  type StateMachine,
  serviceCodes,
} from 'paystate/endpoints';
import * as operations from 'paystate/operations';
import { endpointTables } from '../unit/contract/endpoint-tables.ts';
import { en } from 'paystate/messages/en';
import { behaviours } from 'paystate/sandbox';
import { FIELD_ROWS, type KnownCode, OWN_ROWS } from '../../src/core/errors/codes.ts';
import * as registry from '../../src/resources/registry.ts';
import { MISTAKES } from '../unit/sandbox/mistake-list.ts';
import {
  assumptionIds,
  type AssumptionId,
  valuesOf,
} from '../../src/sandbox/provenance/alternatives.ts';
import { LISTS, OPERATORS } from '../../src/sandbox/query/odata.ts';
import { RESOURCES } from '../../src/webhooks/reads.ts';
import { FIELD_WAYS, WAYS } from '../codes/ways.ts';
import {
  benchTable,
  clientTable,
  growthTable,
  memoryTable,
  moneyTable,
  startTable,
} from '../bench/tables.ts';
import { entryTable, sizeTable } from './chapters.ts';
import { MEANINGS } from './code-meanings.ts';
import { planTable } from './plan.ts';
import { proofTable, roomTable, scheduleTable, threatTable } from './document-tables.ts';
import { paymentTable } from './payment-table.ts';
import { COOKBOOK, RECIPES, recipeTable } from './recipes.ts';
import { type Cells, code, table } from './markdown.ts';
import { root } from './source.ts';

const textOf = (file: string): string => readFileSync(join(root, 'src', file), 'utf8');

const fileOf = (member: string): string =>
  new RegExp(`as ${member} from './([\\w-]+)\\.ts'`).exec(textOf('resources/registry.ts'))![1]!;

/**
 * Returns the source that says that an endpoint exists: the doc tag before it, one of those of
 * behaviours.
 */
function sourceOf(resource: string, operation: string): string {
  const [, source = ''] =
    new RegExp(`@source (\\w+) \\*/\\nexport const ${operation}Endpoint\\b`).exec(
      textOf(`resources/${fileOf(resource)}.ts`),
    ) ?? [];
  if (!Object.hasOwn(behaviours, source))
    throw new Error(`${resource}.${operation}: no @source that is known`);
  return source;
}

function endpointTable(): string {
  const rows = Object.entries(endpointTables).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, { method, path, scope, idempotency }]) => [
      code(`${resource}.${verb}`),
      `${method} ${path}`,
      scope.replace('partner.', ''),
      code(idempotency),
      sourceOf(resource, verb),
    ]),
  );
  return table(['call', 'request', 'scope', 'idempotency', 'source'], rows);
}

/** The next step by the table, with those kinds of idempotency for which it is another one. */
function nextOf(name: string): string {
  const steps = new Map<Next, string[]>();
  for (const idempotency of new Set(decisionTable().map((cell) => cell.idempotency))) {
    const { next } = decide(name as never, idempotency, 'responded');
    steps.set(next, [...(steps.get(next) ?? []), idempotency]);
  }
  const [[usual] = [], ...others] = [...steps].sort(([, a], [, b]) => b.length - a.length);
  return [
    code(usual!),
    ...others.map(([next, repeats]) => `${code(next)} for ${repeats.map(code).join(', ')}`),
  ].join('; ');
}

/** Writes the decisions after a request without a response, by what makes its repetition safe. */
function decisionPhaseTable(): string {
  const phases = ['unsent', 'sent', 'restarted'] as const;
  const rows = [...new Set(decisionTable().map(({ idempotency }) => idempotency))].map(
    (idempotency) => [
      code(idempotency),
      ...phases.map((phase) => code(decide('TIMEOUT', idempotency, phase).next)),
      decide('TIMEOUT', idempotency, 'sent', en).userMessage!,
    ],
  );
  return table(['`idempotency`', ...phases.map(code), 'what `userMessage` says when sent'], rows);
}

/** Lists the members that come with a code: those that its type names. */
function membersOf(name: string, type: 'ServiceValues' | 'ValidationValues'): string {
  const text = textOf('core/errors/errors.ts');
  const body = text.slice(text.indexOf(`interface ${type}`));
  const [, members = ''] =
    new RegExp(`^  readonly ${name}: \\{(.*)\\};`, 'm').exec(body.slice(0, body.indexOf('\n}'))) ??
    [];
  return [...members.matchAll(/readonly (\w+):/g)].map(([, member]) => code(member!)).join(', ');
}

const shown = (name: string): string => (en[name as keyof typeof en] ?? '').replace(/\{\w+\}/g, '');

function serviceCodeTable(): string {
  const rows = Object.entries(serviceCodes).map(([name, status]) => [
    code(name),
    String(status),
    nextOf(name),
    membersOf(name, 'ServiceValues'),
    shown(name),
  ]);
  return table(['code', 'status', '`next`', '`values`', 'what `userMessage` says'], rows);
}

function fieldCodeTable(): string {
  return table(
    ['code of a field', '`values`', 'what `userMessage` says'],
    Object.keys(FIELD_ROWS).map((name) => [
      code(name),
      membersOf(name, 'ValidationValues'),
      shown(name),
    ]),
  );
}

function ownCodeTable(): string {
  return table(
    ['code of ours', '`next`', 'what `userMessage` says'],
    Object.keys(OWN_ROWS).map((name) => [code(name), nextOf(name), shown(name)]),
  );
}

/** Writes the meaning of each of these codes. */
function meaningTable(codes: readonly string[]): string {
  return table(
    ['code', 'what happened', 'the money', 'what to do now'],
    codes.map((name) => {
      const { happened, money, now } = MEANINGS[name as KnownCode];
      return [code(name), happened, money, now];
    }),
  );
}

/** Writes the way in which each code comes about in the sandbox; a test goes all these ways. */
function wayTable(): string {
  const ways = Object.entries(WAYS).map(([name, way]) => [
    code(name),
    'when' in way ? way.when : `– (${way.why})`,
    'yes',
  ]);
  const fields = Object.entries(FIELD_WAYS).map(([name, { when, field }]) => [
    `${code(name)}, of ${code(field)}`,
    when,
    '–',
  ]);
  return table(['code', 'what leads to it', 'by a fault'], [...ways, ...fields]);
}

/** A value as a program writes it, in one line. */
const written = (value: unknown): string =>
  JSON.stringify(value, undefined, 1)
    .replace(/\n */g, ' ')
    .replace(/"([A-Za-z]\w*)":/g, '$1:')
    .replaceAll('"', "'")
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']');

/** Mistakes of users with the message of each; a test makes them. */
function mistakeTable(): string {
  const rows = MISTAKES.map(([call, given, message]) => [
    code(`${call}(${given.map(written).join(', ')})`),
    message.replaceAll('|', '\\|'),
  ]);
  return table(['call', 'message of the `InputError`'], rows);
}

/** The operation that reads a resource; of a receive request what came in for it is read. */
function readerOf(name: string): string {
  const [member] = Object.entries(registry).find(([, { resource }]) => resource.name === name)!;
  const reader = name === 'receiveRequest' ? 'listReceives' : 'get';
  const found = Object.entries(operations).find(([one]) => one === member);
  if (!found || !Object.hasOwn(found[1], reader))
    throw new Error(`${member} has no operation ${reader}`);
  return `${member}.${reader}`;
}

function eventTable(): string {
  return table(
    ['event', '`data.entityId` is read by'],
    Object.entries(eventTypes).map(([type, name]) => [code(type), code(readerOf(name))]),
  );
}

const titleOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const states = (machine: StateMachine<string>): readonly Cells[] =>
  Object.entries(machine.transitions).map(([state, moves]) => [
    state,
    moves.join(', ') || '–',
    machine.isSettled(state) ? 'yes' : 'no',
  ]);

/**
 * Writes the states of every resource that has some, except the invoice, which has a table of its
 * own.
 */
function stateTable(): string {
  return table(
    ['resource', 'state', 'may become', 'settled'],
    Object.entries(RESOURCES)
      .filter(([name]) => name !== 'invoice')
      .flatMap(([name, resource]) =>
        states(resource.states).map((cells) => [titleOf(name), ...cells]),
      ),
  );
}

const proseOf = (line: string): string => line.replaceAll('_', '\\_').replaceAll('$', '\\$');

/** The values of an assumption that can be otherwise, the usual one first. */
function alternativesOf(id: string): string {
  if (!assumptionIds.includes(id as AssumptionId)) return '';
  const [usual, ...others] = valuesOf(id as AssumptionId);
  const lines = others.map(({ value, says }) => `\n  - ${code(value)}: ${proseOf(says)}`);
  return ` (${code(usual!.value)})${lines.join('')}`;
}

function assumptionList(): string {
  const intro = {
    documented: "By the service's own description",
    public: 'By public material',
    inferred: 'Inferred from the above',
    assumed: 'Assumed: our best guesses',
  };
  return Object.entries(behaviours)
    .map(
      ([source, lines]) =>
        `**${intro[source as keyof typeof intro]}** (\`${source}\`)\n\n${Object.entries(lines)
          .map(([id, line]) => `- ${code(id)}: ${proseOf(line)}${alternativesOf(id)}`)
          .join('\n')}`,
    )
    .join('\n\n');
}

/** Writes the queries that each list takes, from the sandbox's own table. */
function queryTable(): string {
  const names = (all: readonly string[]): string => all.map(code).join(', ') || '–';
  const rows = Object.entries(LISTS).map(([path, { parameters, fields }]) => [
    code(path),
    names(Object.keys(parameters)),
    names(Object.keys(fields)),
  ]);
  return table(['list', 'parameters', 'fields of `$filter`'], rows);
}

/** Writes the comparisons that each kind of field takes, and the fields of that kind. */
function operatorTable(): string {
  const fields = Object.values(LISTS).flatMap((list) => Object.entries(list.fields));
  const rows = Object.entries(OPERATORS).map(([kind, operators]) => [
    kind,
    operators.map(code).join(', '),
    [...new Set(fields.flatMap(([name, of]) => (of === kind ? [code(name)] : [])))].join(', '),
  ]);
  return table(['kind', 'operators', 'fields'], rows);
}

type Tables = Readonly<Record<string, () => string>>;

/** The chapters of the manual, by their rooms. */
const CHAPTER_TABLES: Readonly<Record<string, Tables>> = {
  core: { sizes: sizeTable, bench: benchTable, start: startTable },
  'core/errors': {
    decisions: decisionPhaseTable,
    'service codes': serviceCodeTable,
    'field codes': fieldCodeTable,
    'own codes': ownCodeTable,
  },
  'core/errors/codes': {
    'meanings of the service': () => meaningTable(Object.keys(serviceCodes)),
    'meanings of fields': () => meaningTable(Object.keys(FIELD_ROWS)),
    'meanings of ours': () => meaningTable(Object.keys(OWN_ROWS)),
  },
  'flows/pay': { 'life of a payment': paymentTable },
  resources: { endpoints: endpointTable },
  'sandbox/provenance': { behaviours: assumptionList },
  'sandbox/query': { queries: queryTable, operators: operatorTable },
  'sandbox/faults': { ways: wayTable, mistakes: mistakeTable },
  state: {
    'invoice states': () => table(['state', 'may become', 'settled'], states(invoiceStates)),
    events: eventTable,
    states: stateTable,
  },
};

/** By document: the tables that it must have. */
const TABLES: Readonly<Record<string, Tables>> = {
  'README.md': { entries: entryTable },
  'src/README.md': { rooms: roomTable, files: planTable },
  'test/README.md': {
    proofs: proofTable,
    schedules: scheduleTable,
  },
  'test/bench/README.md': {
    growth: growthTable,
    clients: clientTable,
    memory: memoryTable,
    money: moneyTable,
  },
  '.github/SECURITY.md': { threats: threatTable },
  [`${COOKBOOK}/README.md`]: Object.fromEntries(
    Object.keys(RECIPES).map((part) => [part, () => recipeTable(part)]),
  ),
  ...Object.fromEntries(
    Object.entries(CHAPTER_TABLES).map(([room, tables]) => [`src/${room}/README.md`, tables]),
  ),
};

export const documentsWithTables: readonly string[] = Object.keys(TABLES);

const MARKED = /(<!-- table: ([\w ]+) -->\n)[\s\S]*?(<!-- \/table -->)/g;

/** Names of the tables that a document's text has markers for, and those that it should have. */
export const tablesIn = (
  document: string,
  text: string,
): { readonly marked: readonly string[]; readonly known: readonly string[] } => ({
  marked: [...text.matchAll(MARKED)].map(([, , name]) => name!),
  known: Object.keys(TABLES[document] ?? {}),
});

/** A document's text with its tables as the code has them now. */
export const withTables = (document: string, text: string): string =>
  text.replace(
    MARKED,
    (_, begin: string, name: string, end: string) =>
      `${begin}\n${(TABLES[document]?.[name] ?? (() => 'no such table'))()}\n\n${end}`,
  );
