// Markdown as the generated tables of the documents need it.

export type Cells = readonly string[];

export const code = (text: string): string => `\`${text}\``;

export const table = (titles: Cells, rows: readonly Cells[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
