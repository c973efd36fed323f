import { isPaystateError } from '../core/errors.ts';
import { bookOf, isUsable, type Kept, keptOf, type KeptRow } from './kept.ts';
import type { Settings } from './options.ts';
import { loginNeeded, loginUnsure } from './refusals.ts';
import type { LoginServer } from './server.ts';

/** How often to look whether another process, which shares the store but no lock, has renewed; milliseconds. */
const GLANCE = 250;

/**
 * Gets a usable login, renewing it where it has to be. A refresh token works once: whoever asks first marks the row before
 * sending, and everybody else waits for what comes of it.
 */
export function renewalOf(settings: Settings, server: LoginServer): (refused: string | undefined) => Promise<Kept> {
  const { clock, lock, session, attemptLimit } = settings;
  const book = bookOf(settings);
  const longest = 2 * attemptLimit;

  /** Waits for the other process, as long as its mark holds; clocks may have been set back. */
  async function isBusy({ busyUntil = 0 }: Kept): Promise<boolean> {
    const left = busyUntil - clock.now();
    if (left <= 0 || left > longest) return false;
    await clock.wait(Math.min(GLANCE, left));
    return true;
  }

  async function settle(refused: string | undefined): Promise<Kept> {
    for (;;) {
      const row = await book.read();
      const { kept, version } = row;
      if (!kept) throw loginNeeded();
      if (isUsable(kept, clock.now(), refused)) return kept;
      if (kept.refresh === undefined) await end(row);
      else if (!(await isBusy(kept))) {
        await find(server);
        const marked = { ...kept, busyUntil: clock.now() + longest };
        const renewed = (await book.swap(version, marked)) && (await ask(marked, kept.refresh, version + 1));
        if (renewed) return renewed; // as it is: one whose life is nothing would be renewed for ever
      }
    }
  }

  /** One request; what came of it is written down and returned, unless somebody logged in or out meanwhile. */
  async function ask(marked: Kept, refresh: string, version: number): Promise<Kept | undefined> {
    const { busyUntil: _, ...kept } = marked;
    const tokens = await server.refresh(refresh).catch((thrown) => (isPaystateError(thrown) ? thrown : loginUnsure()));
    if ('code' in tokens) {
      const isOver = tokens.code === 'LOGIN_NEEDED';
      await book.swap(version, isOver ? null : { ...kept, unsure: tokens.code === 'LOGIN_UNSURE' || kept.unsure });
      if (!isOver) throw tokens;
      return undefined;
    }
    const renewed = keptOf(tokens, kept, clock.now());
    if (await book.swap(version, renewed)) return renewed;
    if (tokens.refresh !== undefined) await server.revoke(tokens.refresh).catch(() => {}); // nobody will ever use it
    return undefined;
  }

  async function end({ version }: KeptRow): Promise<void> {
    await book.swap(version, null);
  }

  return (refused) => lock(`paystate-oauth/${session}`, () => settle(refused));
}

/** Not knowing where the server is, nothing was sent: the login stands. */
async function find(server: LoginServer): Promise<void> {
  await server.find().catch(() => {
    throw loginUnsure();
  });
}
