// All proofs of the rows.
import { faultProofs } from './faults.ts';
import { many } from './many.ts';
import type { Proof } from './proof.ts';
import { selling } from './selling.ts';
import { throughput } from './throughput.ts';

export const proofs: readonly Proof[] = [...many, ...faultProofs, ...selling, ...throughput];
