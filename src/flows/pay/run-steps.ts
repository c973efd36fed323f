import { type Observer, sameContent, type Work } from '../../core/watch/index.ts';
import type { RunFacts } from './model.ts';
import type { MoneyResult, MoneyStep } from './move-model.ts';
import type { BareResult } from './pay-result.ts';

/** What a run tells: its steps to observers, its result once. */
export class RunSteps {
  readonly result: Promise<MoneyResult>;
  step: MoneyStep = { phase: 'new' };
  /** Its result is known; what is UNKNOWN is still looked for while it has a listener. */
  isSettled: boolean = false;
  isEnded: boolean = false;
  readonly #observers: Set<Observer<MoneyStep>> = new Set();
  readonly #onEnd: () => void;
  readonly #facts: () => RunFacts;
  #resolve: (result: MoneyResult) => void = () => {};

  /** `facts` says of a result when it came about. */
  constructor(onEnd: () => void, facts: () => RunFacts) {
    this.#onEnd = onEnd;
    this.#facts = facts;
    this.result = new Promise((resolve) => void (this.#resolve = resolve));
  }

  get isObserved(): boolean {
    return this.#observers.size > 0;
  }

  /** Adds an observer, which is told what is known at once. */
  observe(to: Observer<MoneyStep>): Work {
    to.next(this.step);
    if (this.isEnded) to.complete();
    else this.#observers.add(to);
    return { stop: () => this.#leave(to) };
  }

  #leave(to: Observer<MoneyStep>): void {
    this.#observers.delete(to);
    if (this.isSettled && !this.isObserved) this.#end();
  }

  tell(step: MoneyStep): void {
    if (sameContent(step, this.step)) return;
    this.step = step;
    for (const observer of [...this.#observers]) observer.next(step);
  }

  /** The result is known; observers may still hear of another one. */
  settle(bare: BareResult): void {
    const result = { ...bare, ...this.#facts() } as MoneyResult;
    this.isSettled = true; // a listener may begin another round
    this.#resolve(result);
    this.tell(result);
  }

  finish(result: BareResult): void {
    if (this.isEnded) return;
    this.settle(result);
    this.#end();
  }

  #end(): void {
    this.isEnded = true;
    this.#onEnd();
    for (const observer of [...this.#observers]) observer.complete();
    this.#observers.clear();
  }
}
