// Writes the README's tables as the code has them, between their markers: npm run tables
import { readFileSync, writeFileSync } from 'node:fs';
import { tablesIn, withTables } from '../test/house/readme-tables.ts';

const file = new URL('../README.md', import.meta.url);
const before = readFileSync(file, 'utf8');
const after = withTables(before);
if (after !== before) writeFileSync(file, after);
const { marked, known } = tablesIn(after);
const missing = known.filter((name) => !marked.includes(name));
console.log(`${marked.length} tables ${after === before ? 'were right' : 'written'}${missing.length > 0 ? `; no markers for: ${missing.join(', ')}` : ''}`);
process.exit(missing.length > 0 ? 1 : 0);
