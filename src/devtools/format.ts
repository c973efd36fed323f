/** Time of day, UTC, to the millisecond. */
export function clockText(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

/** A duration in the unit that fits. */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** JSON in lines; any other text as it is. */
export function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** What is there, with points between. */
export function joinText(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** An address as people read it; as it is where it is not well formed. */
export function plainText(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
