// Protects: a picture that is wrong is never kept as right. Each fault that a person would see at once is found by its bound, and a
// page without faults has none.
import { expect } from 'chai';
import { after, describe } from '#test';
import { it, openEngine } from './engines.ts';
import { useTestFont } from './picture-data.ts';
import { outOfBounds } from './picture-bounds.ts';

const chromium = (await openEngine('chromium'))!;
after(() => chromium.close());

const LOOK = `*{box-sizing:border-box;margin:0}body{padding:16px;font:16px/1.5 "Test font";color:#1c1c20;background:#fff}
.card,.foot{display:flex;justify-content:space-between}.card{flex-direction:column;width:600px;height:240px;padding:24px;border:1px solid #ccc}
button{min-width:44px;min-height:44px}p{overflow-wrap:anywhere}`;
const ORDER = '<p>Order QK-7F3A91C2 of the harbour</p>';
const FOOT = '<div class="foot"><p>Thank you</p><button>Copy</button></div>';
/** A card with this at its top, and what people press at its bottom. */
const page = (top: string, foot = FOOT): string =>
  `<!doctype html><style>${LOOK}</style><main><div class="card">${top}${foot}</div></main>`;

const ID = 'fdb92155-2643-4da9-9969-79fd1c250abc';
const FINE: Readonly<Record<string, string>> = {
  'a short text': page(ORDER),
  'an id of several lines': page(`<p style="width:150px">${ID}</p>`),
  'a hyphen at the end of a line': page('<p style="width:110px">Bitcoin on-chain</p>'),
  'a cut line that says so': page(
    `<p style="width:100px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">${ID}</p>`,
  ),
  'a faint text that is large': page('<p style="color:#888;font-size:24px">Order</p>'),
  'a small button in a sentence': page(
    '<p>It costs <button style="min-height:0;height:20px">16.80</button> today</p>',
  ),
};

const PLANTED: Readonly<Record<string, readonly [body: string, found: RegExp]>> = {
  'a box one letter wide': [
    page('<p style="width:12px">Paid</p>'),
    /^(a word is broken|a line of one letter): /,
  ],
  'a box narrower than its number': [
    page('<p style="width:60px">QK-58VB-ES98</p>'),
    /^a word is broken: QK-58VB-ES98 /,
  ],
  'a cut line': [
    page('<p style="height:12px;overflow:hidden">Order</p>'),
    /^a line is cut: “Order”/,
  ],
  'an overflow': [page(`<p style="width:700px">Order</p>`), /^wider than its pane: /],
  'a contrast of 3': [page('<p style="color:#949494">Order</p>'), /^a contrast of 3\.03: “Order”/],
  'a target of 20 px': [
    page(ORDER, FOOT.replace('<button', '<button style="min-height:0;height:20px"')),
    /^a target of \d+ × 20: button/,
  ],
  'an empty half': [page(ORDER, ''), /^an empty half: div\.card/],
  'a second border': [
    page('<div style="width:200px;height:120px;border:1px solid">Paid</div>'),
    /^a card in a card: div in div\.card/,
  ],
};

async function faultsOf(body: string): Promise<readonly string[]> {
  const tab = await chromium.tab();
  await tab.page!.setViewport({ width: 700, height: 400 });
  await tab.page!.setContent(body);
  await useTestFont(tab.page!);
  return outOfBounds(tab.page!);
}

describe('the bounds of pictures', () => {
  for (const [name, body] of Object.entries(FINE))
    it(`hold for ${name}`, async () => {
      expect(await faultsOf(body)).to.deep.equal([]);
    });
  for (const [name, [body, found]] of Object.entries(PLANTED))
    it(`are broken by ${name}, and by nothing else in it`, async () => {
      const faults = await faultsOf(body);
      expect(faults).to.have.length.above(0);
      for (const fault of faults) expect(fault).to.match(found);
    });
});
