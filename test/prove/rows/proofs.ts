// All proofs of the rows.
import { many } from './many.ts';
import type { Proof } from './proof.ts';
import { throughput } from './throughput.ts';

export const proofs: readonly Proof[] = [...many, ...throughput];
