/** What the test runner sets: { APE_TEST_CHROMIUM: path, … }. */
export function needsEnvironment(): Record<string, string>;
