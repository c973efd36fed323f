import type { Ticks } from '../../core/time.ts';
import type { ServiceCode } from '../../core/errors/index.ts';
import type { EventType } from '../../resources/events.types.ts';
import type { StateMachine } from '../../resources/resource.ts';
import { type NextState, chooseNextState, type StateSubject } from '../faults/rules.ts';
import { post, type Transfer } from '../ledger/ledger.ts';
import { readAssumption, type AssumptionValue } from '../provenance/alternatives.ts';
import { type BehaviourId, recordUse } from '../provenance/recorder.ts';
import { notFound, ServiceRefusal, unknownReference } from '../world/responses.ts';
import { idFrom, type Account, runLater, getStore, type World } from '../world/world.ts';
import { emit } from './events.ts';

export interface Entity {
  readonly id: string;
  readonly account: Account;
  readonly created: Ticks;
  state: string;
}

interface UsualState extends NextState {
  readonly behaviour: BehaviourId;
}

interface Life<T extends Entity> {
  /** Name of the resource type. Also appears in ledger postings, such as `payout INITIATED`. */
  readonly name: string;
  readonly subject: StateSubject;
  readonly states: StateMachine<string>;
  readonly event: EventType;
  /** Returns the ledger transfers for a change from the current state to `to`. */
  readonly transfers?: (world: World, item: T, to: string) => readonly Transfer[];
  /** Called after the resource enters a state, before the event is emitted. */
  readonly enter?: (world: World, item: T, from: string) => void;
  /**
   * Chooses the state that automatically follows each state. `isNew` is true if the resource was
   * just created.
   */
  readonly follow: Readonly<Record<string, (world: World, item: T, isNew: boolean) => UsualState>>;
}

export class EntityStore<T extends Entity> {
  readonly states: StateMachine<string>;
  readonly #life: Life<T>;

  constructor(life: Life<T>) {
    this.states = life.states;
    this.#life = life;
  }

  newId({ random }: World): string {
    const { name } = this.#life;
    return random.uuid(name, random.next(name));
  }

  add(world: World, item: T): void {
    this.#byId(world).set(item.id, item);
    (this.list(world, item.account) as T[]).push(item);
  }

  /** Returns the account's resources of this type, oldest first. */
  list(world: World, { id }: Account): readonly T[] {
    return getStore(world, `${this.#life.name}/${id}`, () => []);
  }

  /**
   * Returns one of the account's resources. Throws `NOT_FOUND` if it's missing or belongs to
   * another account.
   */
  own(world: World, account: Account, id: string): T {
    const item = this.find(world, id);
    if (item?.account !== account) throw notFound(item);
    return item;
  }

  /**
   * Returns a resource that a request body refers to. If there's none, the error contains its id.
   */
  resolve(world: World, account: Account, given: string): T {
    const id = idFrom(given);
    const item = this.find(world, id);
    if (item?.account !== account) throw unknownReference(id, item);
    return item;
  }

  find(world: World, id: string): T | undefined {
    return this.#byId(world).get(id);
  }

  /**
   * Moves a resource to another state and posts its transfers. Emits an event unless `isNew` is
   * set.
   */
  move(world: World, item: T, to: string, isNew: boolean = false): void {
    const { name, event, transfers, enter } = this.#life;
    const entity: Entity = item;
    const from = entity.state;
    if (transfers) post(world, `${name} ${to}`, item.id, transfers(world, item, to));
    entity.state = to;
    enter?.(world, item, from);
    if (!isNew) emit(world, item.account, event, { entityId: item.id, changes: ['state'] });
    this.follow(world, item, isNew);
  }

  /**
   * Schedules the next state, as a fault rule or the usual life cycle determines. If that state
   * usually follows immediately, the resource is already in it when this returns. Does nothing if
   * `Sandbox.move` changes the state first.
   */
  follow(world: World, item: T, isNew: boolean): void {
    const { name, subject, follow } = this.#life;
    const from = item.state;
    if (!Object.hasOwn(follow, from)) return;
    const usual = follow[from]!(world, item, isNew);
    const { state, delay } = chooseNextState(world, subject, usual);
    if (state === from) return;
    const ways = this.states.canMove(from, state)
      ? [[state]]
      : this.states.transitions[from]!.filter((between) => this.states.canMove(between, state)).map(
          (between) => [between, state],
        );
    const [way] = ways;
    if (!way) throw new Error(`sandbox.fault: a ${name} cannot move from ${from} to ${state}`);
    const isUsual = state === usual.state && delay === usual.delay;
    const end = (isNewStill: boolean): void => {
      if (item.state !== from) return;
      if (isUsual) recordUse(world, usual.behaviour);
      for (const step of way) this.move(world, item, step, isNewStill);
    };
    if (isUsual && delay === 0) end(isNew);
    else runLater(world, delay, () => end(false));
  }

  /** Deactivates a resource. It still appears in lists. */
  remove(world: World, account: Account, id: string): void {
    const item = this.own(world, account, id);
    const isGone = item.state === 'INACTIVE';
    if (isGone && readAssumption(world, 'banks.removed-twice') === '404') throw notFound();
    if (!isGone) this.move(world, item, 'INACTIVE');
  }

  #byId(world: World): Map<string, T> {
    return getStore(world, `all/${this.#life.name}`, () => new Map());
  }
}

export function madeByKey(world: World, name: string, account: Account): Map<string, string> {
  return getStore(world, `keys/${name}/${account.id}`, () => new Map());
}

/**
 * Throws if an idempotency key has been used before. Whether keys are checked first or last is an
 * assumption, so handlers call this at both points.
 */
export function requireFresh(
  world: World,
  when: AssumptionValue<'keys.checks'>,
  code: ServiceCode,
  made: Readonly<Record<string, string | undefined>>,
): void {
  const isUsed = Object.values(made).some((id) => id !== undefined);
  if (isUsed && readAssumption(world, 'keys.checks') === when) throw new ServiceRefusal(code, made);
}
