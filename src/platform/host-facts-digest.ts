/** Computes the digest of host facts. A permit contains this digest. Host and server both use this function. */
import { canonicalHostFacts, type HostFacts } from '../core/effects/host-facts.ts';
import { sha256Hex } from './digest.ts';

/** Returns null if no host facts were sent. */
export const hostFactsDigest = (hostFacts: HostFacts | null): string | null =>
  hostFacts === null ? null : sha256Hex(canonicalHostFacts(hostFacts));
