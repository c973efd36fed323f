import { type DurableObjectContext, InvoiceRoom } from 'paystate/relay';
import { accountOf, type Env, tokensOf } from './env.ts';

/** One invoice for all pages that show it. */
export class Room extends InvoiceRoom {
  constructor(ctx: DurableObjectContext, env: Env) {
    // A function: a room may outlive the account object, whose stubs end with it.
    super(ctx, { account: () => accountOf(env), ...tokensOf(env) });
  }
}
