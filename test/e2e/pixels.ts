// Reads a QR code as a camera does: from what the browser painted.
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

type Decode = (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
) => { readonly data: string } | null;
const decode = createRequire(import.meta.url)('jsqr') as Decode & { readonly default?: Decode };

/** The text in the picture of this element, or nothing when there is none to be read. */
export async function readQr(page: Page, selector: string): Promise<string | undefined> {
  const element = await page.waitForSelector(selector);
  const picture = await element!.screenshot({ encoding: 'base64' });
  const { width, height, pixels } = await pixelsOf(page, picture);
  return (decode.default ?? decode)(
    new Uint8ClampedArray(Buffer.from(pixels, 'base64')),
    width,
    height,
  )?.data;
}

/** A PNG unpacked by an empty page of the same browser: the demo's own page may load no pictures. */
async function pixelsOf(
  page: Page,
  picture: string,
): Promise<{ width: number; height: number; pixels: string }> {
  const bench = await page.browserContext().newPage();
  try {
    return await bench.evaluate(async (source) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const { width, height } = image;
      const brush = new OffscreenCanvas(width, height).getContext('2d')!;
      brush.drawImage(image, 0, 0);
      const bytes = brush.getImageData(0, 0, width, height).data;
      let text = '';
      for (let at = 0; at < bytes.length; at += 8_192)
        text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
      return { width, height, pixels: btoa(text) };
    }, picture);
  } finally {
    await bench.close();
  }
}
