import type { Installation } from './installation.mjs';

export interface Agent {
  readonly directory: string | undefined;
  readonly version: string;
  readonly isPinned: boolean;
}

/** How one harness is driven: `harnesses/*.mjs`. */
export interface HarnessDriver {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly gate: string;
}

export interface Case {
  readonly name: string;
  readonly title: string;
  readonly turns: number;
}

export interface CaseResult {
  readonly fault: string | null;
  readonly note: string | null;
  readonly seconds: number;
  readonly requests: number;
}

export function runCase(
  harness: HarnessDriver,
  tried: Case,
  place: { readonly installation: Installation; readonly agent: Agent; readonly node24?: string },
): Promise<CaseResult>;
