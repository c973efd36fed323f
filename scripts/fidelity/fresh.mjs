let made = 0;

/** A text that no request had before. */
export const fresh = (word) => `${word}-${++made}`;
