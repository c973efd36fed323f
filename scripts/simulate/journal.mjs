// A journal in memory that hands out what was written, frozen: a change of it throws, and nothing has to be copied.

const frozen = (value) => {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
};

/** The store, and whether a try of the intent was ever in doubt. */
export const createJournal = () => {
  const rows = new Map();
  let isDoubtful = false;
  const versionOf = (key) => rows.get(key)?.version ?? 0;
  const write = (key, value, open) => {
    isDoubtful ||= value?.tries?.some(({ end }) => end === 'doubt') === true;
    const version = versionOf(key) + 1;
    rows.set(key, { value: frozen(value), version, open });
    return version;
  };
  const store = {
    durable: false,
    get: async (key) => rows.get(key),
    put: async (key, value) => write(key, value, rows.get(key)?.open ?? false),
    async compareAndSet(key, version, value, open = false) {
      if (versionOf(key) !== version) return false;
      write(key, value, open);
      return true;
    },
    async listOpen(prefix) {
      const open = [...rows].filter(([key, row]) => row.open && key.startsWith(prefix));
      return open.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, row]) => ({ key, row }));
    },
  };
  return { store, wasDoubtful: () => isDoubtful };
};
