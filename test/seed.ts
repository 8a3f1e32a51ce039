/**
 * Random cases are the same in every run, so that a failure can be repeated, and a success is not luck. Other cases:
 *
 *   APE_TEST_SEED=$RANDOM npx vitest run --project core
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['APE_TEST_SEED'] ?? 1) });
