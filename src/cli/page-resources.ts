import * as endpoints from '../endpoints.ts';
import * as registry from '../resources/registry.ts';
import { pageRoutes } from './page-forms.ts';
import type { Resource } from '../resources/resource.ts';
import type { ApiCommand, Move, PageResource } from './page/resources.ts';

type Transitions = Readonly<Record<string, readonly string[]>>;
type Facts = Pick<Resource<never>, 'name' | 'states' | 'idOf'>;
type Rows = Readonly<Record<string, { readonly method: string; readonly path: string }>>;

/** The words on the buttons of the API's own commands. */
const COMMANDS: Readonly<Record<string, string>> = {
  cancel: 'Cancel',
  execute: 'Execute',
  initiate: 'Initiate',
  quote: 'Make a code',
  remove: 'Delete',
};

/**
 * What the world outside does, by the state that comes of it; to the others things come by
 * themselves or through the API.
 */
const ACTIONS: Readonly<Record<string, string>> = {
  APPROVED: 'Approve',
  READY: 'Make ready',
  COMPLETED: 'Complete',
  FAILED: 'Fail',
  REVERSED: 'Reverse',
  CANCELLED: 'Cancel',
  REJECTED: 'Reject',
  SUSPENDED: 'Suspend',
  INVALID: 'Make invalid',
  INACTIVE: 'Deactivate',
};

const rowsBy: ReadonlyMap<string, unknown> = new Map(Object.entries(endpoints));

/** What can be read alone by its id, of an account's own. */
const ONE = /^\/v1\/([a-z/-]+)\/\{\w+\}$/;

/** What people open first, first; the others follow as the registry has them. */
const FIRST = [
  'invoice',
  'receiveRequest',
  'receive',
  'payment',
  'currencyExchangeQuote',
  'payout',
];

/** The places of the rail: a line in the registry is a place. */
export const pageResources: readonly PageResource[] = Object.entries(registry)
  .flatMap(([member, { resource }]) => [
    ...sectionOf(member, resource as Facts),
    ...partsOf(member),
  ])
  .sort((one, other) => rankOf(one) - rankOf(other));

function rankOf({ subject }: PageResource): number {
  const rank = FIRST.indexOf(subject);
  return rank < 0 ? FIRST.length : rank;
}

/** None where the sandbox has no list of it, or where the page shows it apart. */
function sectionOf(member: string, resource: Facts): readonly PageResource[] {
  const rows = rowsBy.get(member) as Rows;
  const [, name] = ONE.exec(rows['get']?.path ?? '') ?? [];
  if (name === undefined || member === 'events') return [];
  const from = rows['create'] ?? endpoints.paymentQuotes.execute;
  return [
    {
      name,
      subject: resource.name,
      title: titleOf(member),
      one: wordsOf(resource.name),
      id: idOf(resource),
      states: Object.keys(resource.states?.transitions ?? {}),
      moves: movesIn(resource.states?.transitions ?? {}),
      commands: commandsOf(name),
      empty: `None yet. ${from.method} ${from.path} makes one.`,
    },
  ];
}

/** What the API does to one of them without a body. */
function commandsOf(name: string): readonly ApiCommand[] {
  return pageRoutes.flatMap(({ method, path, operation }) => {
    const label = COMMANDS[operation.split('.').at(-1)!];
    return label && path.startsWith(`/v1/${name}/{`) ? [{ method, path, label }] : [];
  });
}

/** What comes in for a receive request has a list and a life of its own. */
function partsOf(member: string): readonly PageResource[] {
  if (member !== 'receiveRequests') return [];
  return [
    {
      name: endpoints.receiveRequests.listAllReceives.path.replace('/v1/', ''),
      subject: 'receive',
      title: 'Receives',
      one: 'receive',
      id: 'receiveId',
      states: Object.keys(endpoints.receiveStates.transitions),
      commands: [],
      moves: movesIn(endpoints.receiveStates.transitions),
      empty: 'None yet. Pay a receive request.',
    },
  ];
}

/** The member that identifies it: the one that `idOf` reads. */
function idOf({ idOf: read }: Facts): string {
  return read(new Proxy({}, { get: (_, member) => member }) as never);
}

function movesIn(transitions: Transitions): PageResource['moves'] {
  return Object.fromEntries(
    Object.entries(transitions).map(([state, next]) => [state, next.flatMap(moveTo)]),
  );
}

function moveTo(to: string): readonly Move[] {
  const label = ACTIONS[to];
  return label === undefined ? [] : [{ to, label }];
}

function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function titleOf(name: string): string {
  return wordsOf(name).replace(/^./, (letter) => letter.toUpperCase());
}
