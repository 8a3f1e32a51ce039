/** Makes a short name by which the user recognises a browser. A browser can claim any name, so no decision depends on the name. */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg/, 'Edge'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bOPR\//, 'Opera'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Returns null for an unknown browser on an unknown system. */
export function browserName(userAgent: string | undefined): string | null {
  const nameIn = (table: typeof BROWSERS) => table.find(([sign]) => sign.test(userAgent ?? ''))?.[1] ?? null;
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === null) return system;
  return system === null ? browser : `${browser} on ${system}`;
}
