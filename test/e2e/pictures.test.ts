// Protects: what people see. Boxes, texts and colours of each state of each face, in three widths, two schemes and from right to
// left, are those that were kept. `npm run prove -- pictures` keeps what they are now, and takes photographs to look at.
import { expect } from 'chai';
import { after, describe } from '#test';
import { it, openEngine } from './engines.ts';
import { keptPicture, readKept, takePictures } from './picture-book.ts';
import { differences } from './picture-data.ts';
import { FACES } from './picture-faces.ts';

/** Lines of one report; the command shows the rest. */
const MAX_LINES = 12;

const chromium = (await openEngine('chromium'))!;
after(() => chromium.close());

describe('what people see', () => {
  for (const name of Object.keys(FACES))
    it(`is as it was kept: ${name}`, async () => {
      const kept = readKept(name);
      const pictures = await takePictures(chromium.browser!, name);
      const changed = Object.entries(pictures).flatMap(([at, picture]) => {
        const was = keptPicture(kept, at) ?? { boxes: [], looks: {} };
        const lines = differences(was, picture);
        return lines.length > 0 ? [[at, ...lines.slice(0, MAX_LINES)].join('\n    ')] : [];
      });
      const message = `${changed.length} of ${Object.keys(pictures).length} pictures changed. Run npm run prove -- pictures, and look at them:\n  ${changed.slice(0, 3).join('\n  ')}`;
      expect(changed.length, message).to.equal(0);
      expect(Object.keys(kept)).to.have.members([
        ...new Set(Object.keys(pictures).map((at) => at.split(' ')[0]!)),
      ]);
    });
});
