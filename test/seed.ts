/**
 * Random cases are the same in every run, so that a red run can be repeated and a green one was not luck. New ground:
 *
 *   APE_TEST_SEED=$RANDOM npx vitest run --project core
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['APE_TEST_SEED'] ?? 1) });
