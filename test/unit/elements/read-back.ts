import jsqr from 'jsqr';

/** Draws the SVG's rectangles into pixels, four to a module, by reading its text. */
export function pixelsOf(svg: string): { data: Uint8ClampedArray; side: number; modules: number } {
  const modules = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1]);
  const side = modules * 4;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
    for (let py = Number(y) * 4; py < Number(y) * 4 + 4; py++)
      for (let px = Number(x) * 4; px < (Number(x) + Number(width)) * 4; px++)
        data.fill(0, (py * side + px) * 4, (py * side + px) * 4 + 3);
  return { data, side, modules };
}

const read = (jsqr as unknown as { default?: typeof jsqr }).default ?? jsqr;

/** The text that a camera would read. */
export function readBack(svg: string): string | undefined {
  const { data, side } = pixelsOf(svg);
  return read(data, side, side)?.data;
}
