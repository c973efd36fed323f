// Reed-Solomon codes over the field of 256 elements whose modulus is x^8 + x^4 + x^3 + x^2 + 1.
const MODULUS = 0x11d;

function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * MODULUS);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** The product of (x - 2^i) for all i below `degree`, highest power first. */
function generatorOf(degree: number): number[] {
  let generator = [1];
  for (let at = 0, root = 1; at < degree; at++, root = times(root, 2)) {
    const shifted = [...generator, 0];
    generator.forEach((factor, power) => (shifted[power + 1]! ^= times(factor, root)));
    generator = shifted;
  }
  return generator;
}

/** The correction of a block: what is left of it when it is divided by the generator. */
export function correctionOf(block: readonly number[], degree: number): number[] {
  const generator = generatorOf(degree);
  const rest = [...block, ...Array<number>(degree).fill(0)];
  for (let at = 0; at < block.length; at++) {
    const lead = rest[at]!;
    generator.forEach((factor, power) => (rest[at + power]! ^= times(factor, lead)));
  }
  return rest.slice(block.length);
}
