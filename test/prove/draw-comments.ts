// Draws comments of src by a seed, to be read by a person.
//   npm run prove -- draw-comments 7 100   a hundred, by the seed 7
// A good one is a sentence with a subject and a verb that states a fact: who does what, and why.
import { createHash } from 'node:crypto';
import ts from 'typescript-5.9';
import { REBUILT } from '../house/plan.ts';
import { sourceFiles, textOf } from '../house/source.ts';

const [seed = '1', count = '100'] = process.argv.slice(2);

interface Comment {
  readonly place: string;
  readonly text: string;
}

const commentsOf = (file: string): readonly Comment[] => {
  const text = textOf(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const found = new Map<number, Comment>();
  const visit = (node: ts.Node): void => {
    for (const at of [node.pos, node.end])
      for (const { pos, end } of [
        ...(ts.getLeadingCommentRanges(text, at) ?? []),
        ...(ts.getTrailingCommentRanges(text, at) ?? []),
      ])
        found.set(pos, {
          place: `${file}:${text.slice(0, pos).split('\n').length}`,
          text: text
            .slice(pos, end)
            .replace(/^\/\*+|\*\/$|^\s*(\*|\/\/) ?/gm, '')
            .replace(/\s+/g, ' ')
            .trim(),
        });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
};

/** The same comment has the same place in the draw, whatever else is written. */
const rankOf = ({ place, text }: Comment): string =>
  createHash('sha256')
    .update(`${seed} ${place.replace(/:\d+$/, '')} ${text}`)
    .digest('hex');

const drawn = sourceFiles
  .filter((file) => REBUILT.test(file))
  .flatMap(commentsOf)
  .map((comment) => ({ comment, rank: rankOf(comment) }))
  .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  .slice(0, Number(count));
for (const [index, { comment }] of drawn.entries())
  console.log(`${index + 1}. ${comment.place}\n   ${comment.text}`);
