// The storage of a sandbox in a Durable Object, as far as it uses it.
import type { SandboxObject } from 'paystate/sandbox';

type State = ConstructorParameters<typeof SandboxObject>[0];

/** As much of an object's storage as the sandbox uses; what it holds can be looked at and copied. */
export const storageOf = (
  kept: readonly string[] = [],
): State & { readonly entries: string[]; alarmAt: number | null } => {
  const entries = [...kept];
  const state = {
    entries,
    alarmAt: null as number | null,
    storage: {
      sql: {
        exec: (query: string, ...bindings: unknown[]) => {
          if (query.startsWith('INSERT')) entries.push(bindings[0] as string);
          if (query.startsWith('DELETE')) entries.length = 0;
          const rows = query.startsWith('SELECT') ? entries.map((entry) => ({ entry })) : [];
          return Object.assign(rows.values(), { toArray: () => rows }) as never;
        },
      },
      transactionSync: <T>(work: () => T): T => work(),
      getAlarm: async () => state.alarmAt,
      setAlarm: async (at: number) => void (state.alarmAt = at),
    },
  };
  return state;
};
