// Commands as fast-check plays and shrinks them.
import type fc from 'fast-check';
import { compare } from './compare.ts';
import type { Account, Model } from './model.ts';
import type { Play } from './play.ts';
import type { As, Real } from './real.ts';

export interface Drawn {
  readonly who: string;
  readonly as: As;
}

export type Command = fc.AsyncCommand<Model, Real, true>;

class Played<T> implements Command {
  readonly name: string;
  readonly drawn: T;
  readonly act: (play: Play, drawn: T) => Promise<void>;
  constructor(name: string, drawn: T, act: (play: Play, drawn: T) => Promise<void>) {
    this.name = name;
    this.drawn = drawn;
    this.act = act;
  }

  async check(): Promise<boolean> {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    real.commands++;
    model.rates = await real.rates();
    await this.act({ model, real }, this.drawn);
    await compare({ model, real });
  }

  toString(): string {
    return `${this.name} ${JSON.stringify(this.drawn)}`;
  }
}

/** A kind of command, as stories choose it. */
export interface Kind {
  readonly name: string;
  readonly drawn: fc.Arbitrary<Command>;
}

/** A command made of what is drawn for it. */
export const command = <T>(
  name: string,
  drawn: fc.Arbitrary<T>,
  act: (play: Play, drawn: T) => Promise<void>,
): Kind => ({ name, drawn: drawn.map((one) => new Played(name, one, act)) });

/** Whose command it is, and how it is asked. */
export const asking = (
  { model }: Play,
  { who, as }: Drawn,
): { readonly account: Account; readonly as: As } => ({ account: model.accounts.get(who)!, as });
