// All proofs of the rows.
import { faultProofs } from './faults.ts';
import { orders } from './orders.ts';
import type { Proof } from './proof.ts';
import { selling } from './selling.ts';
import { throughput } from './throughput.ts';

export const proofs: readonly Proof[] = [orders, ...faultProofs, ...selling, ...throughput];
