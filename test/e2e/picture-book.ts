// The pictures of every face as they were kept, and as they are now.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { root } from '../house/source.ts';
import { outOfBounds } from './picture-bounds.ts';
import { measure, type Picture, useTestFont } from './picture-data.ts';
import { FACES } from './picture-faces.ts';

const SCHEMES = ['light', 'dark'] as const;
const HEIGHT = 800;
const FOLDER = join(root, 'test/e2e/pictures');

/** By the name of a state, with its width, its direction and its scheme, such as `paid 320 light`. */
export type Pictures = Readonly<Record<string, Picture>>;

/** A state as it is kept: what is the same in several pictures is there once. */
interface Kept {
  boxes: Record<string, readonly string[]>;
  looks: Record<string, Picture['looks']>;
}

export interface TakeOptions {
  /** Is called when a state is shown, such as to take a photograph of it. */
  readonly onShown?: (page: Page, name: string) => Promise<void>;
}

/**
 * Takes the pictures of a face: every state in three widths and two schemes, and from right to left in the widest. Throws where
 * one is out of bounds, so that a wrong picture is never kept.
 */
export async function takePictures(
  browser: Browser,
  name: string,
  { onShown }: TakeOptions = {},
): Promise<Pictures> {
  const { widths, isMoving = false, isEnglish = false, open } = FACES[name]!;
  const stage = await open();
  const context = await browser.createBrowserContext();
  const pictures: Record<string, Picture> = {};
  const faults: string[] = [];
  try {
    const page = await context.newPage();
    await page.emulateTimezone('UTC');
    await page.setViewport({ width: widths[0]!, height: HEIGHT });
    await page.goto(stage.url);
    await page.waitForFunction(() => document.readyState === 'complete');
    await useTestFont(page);
    const sizes = [
      ...widths.map((width) => [width, 'ltr'] as const),
      ...(isEnglish ? [] : [widths[0]!, widths.at(-1)!].map((width) => [width, 'rtl'] as const)),
    ];
    // a state may follow from the one before it, so it is shown once, in all sizes
    for (const state of stage.states) {
      await stage.show(page, state);
      for (const [width, dir] of sizes) {
        await page.setViewport({ width, height: HEIGHT });
        await page.evaluate((wanted) => void (document.documentElement.dir = wanted), dir);
        for (const scheme of SCHEMES) {
          await page.emulateMediaFeatures([
            { name: 'prefers-color-scheme', value: scheme },
            { name: 'prefers-reduced-motion', value: 'reduce' },
          ]);
          const at = `${state} ${width}${dir === 'rtl' ? ' rtl' : ''} ${scheme}`;
          pictures[at] = await measure(page, isMoving);
          await onShown?.(page, at);
          faults.push(...(await outOfBounds(page)).map((fault) => `${at}: ${fault}`));
        }
      }
    }
  } finally {
    await context.close();
    await stage.close();
  }
  if (faults.length > 0) throw new Error(`${name}: out of bounds\n  ${faults.join('\n  ')}`);
  return pictures;
}

const fileOf = (name: string): string => join(FOLDER, `${name}.json`);
const partsOf = (at: string): readonly [string, string, string] =>
  /^(\S+) (.+) (\S+)$/.exec(at)!.slice(1) as never;

/** Puts the pictures of a face into its file. */
export function keep(name: string, pictures: Pictures): void {
  const states: Record<string, Kept> = {};
  for (const [at, { boxes, looks }] of Object.entries(pictures)) {
    const [state, size, scheme] = partsOf(at);
    const kept = (states[state] ??= { boxes: {}, looks: {} });
    const isSame = (one: unknown, other: unknown): boolean =>
      JSON.stringify(one) === JSON.stringify(other);
    if (!isSame(kept.boxes[size], boxes))
      kept.boxes[kept.boxes[size] ? `${size} ${scheme}` : size] = boxes;
    if (!isSame(kept.looks[scheme], looks))
      kept.looks[kept.looks[scheme] ? `${size} ${scheme}` : scheme] = looks;
  }
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(name), `${JSON.stringify(states, undefined, 1)}\n`);
}

/** The picture that was kept under this name; absent for a new one. */
export function keptPicture(kept: Readonly<Record<string, Kept>>, at: string): Picture | undefined {
  const [state, size, scheme] = partsOf(at);
  const { boxes = {}, looks = {} } = kept[state] ?? {};
  const [box, look] = [
    boxes[`${size} ${scheme}`] ?? boxes[size],
    looks[`${size} ${scheme}`] ?? looks[scheme],
  ];
  return box && look && { boxes: box, looks: look };
}

export const readKept = (name: string): Readonly<Record<string, Kept>> =>
  JSON.parse(readFileSync(fileOf(name), 'utf8'));
