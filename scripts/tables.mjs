// Writes the documents' tables as the code has them, between their markers, and llms.txt: npm run tables
import { readFileSync, writeFileSync } from 'node:fs';
import { llmsText } from '../test/house/llms.ts';
import { writeOfficeLook } from '../test/house/office-look.ts';
import { documentsWithTables, tablesIn, withTables } from '../test/house/readme-tables.ts';

/** Writes the tables of one document; says which of them have no markers. */
const write = (document) => {
  const file = new URL(`../${document}`, import.meta.url);
  const before = readFileSync(file, 'utf8');
  const after = withTables(document, before);
  if (after !== before) writeFileSync(file, after);
  const { marked, known } = tablesIn(document, after);
  const missing = known.filter((name) => !marked.includes(name));
  const done = after === before ? 'were right' : 'written';
  const hint = missing.length > 0 ? `; no markers for: ${missing.join(', ')}` : '';
  console.log(`${document}: ${marked.length} tables ${done}${hint}`);
  return missing;
};

const missing = documentsWithTables.flatMap(write);
writeFileSync(new URL('../llms.txt', import.meta.url), llmsText());
writeOfficeLook();
process.exit(missing.length > 0 ? 1 : 0);
