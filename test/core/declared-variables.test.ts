// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** The output of `declare -p`, as a real bash writes it. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { declaredVariables } from '../../src/core/variables/declared-variables.ts';

const declaredBy = (text: string) =>
  declaredVariables(spawnSync('/bin/bash', ['-c', `${text}; declare -p`], { encoding: 'utf8' }).stdout);

/** bash writes a value with a line break in this form. */
const TWO_LINES = `v=$'one\\ndeclare -- w="x"\\n'`;

it.each([
  ["v='a b'", ['a b']],
  ['v=\'$(id) `x` \\ "q"\'', ['$(id) `x` \\ "q"']],
  [TWO_LINES, [TWO_LINES.slice('v='.length)]],
  ["v=$'a\\001b'", ["$'a\\001b'"]],
  ['v=', ['']],
  ["v=(x 'y]=\"z' '$(id)')", ['x', 'y]="z', '$(id)']],
  ['declare -A v=([k]=x)', ['k', 'x']],
  ['declare -A v=([important]=1)', ['important', '1']],
  ['declare -A v=([x=1]=2)', ['x=1', '2']],
  ["declare -A v=(['a b']=2)", ['a b', '2']],
  ["declare -n v='a[$(id)]'", ['a[$(id)]']],
  ['declare -i v=3', ['3']],
  ['export v=3', ['3']],
])('%s', (text, parts) => {
  const declared = declaredBy(`${text}; after=1`);
  expect(declared?.get('v')?.parts).toEqual(parts);
  expect(declared?.get('v')?.isExported).toBe(text.startsWith('export'));
  expect(declared?.has('w')).toBe(false);
  expect(declared?.get('after')?.value).toBe('1');
});

it('a variable without a value has only its attributes, and another text is not read', () => {
  expect(declaredBy('declare -i v')?.get('v')).toEqual({ isExported: false, attributes: 'i', value: null, parts: [] });
  expect(declaredBy('declare -A v=(); readonly v')?.get('v')?.attributes).toBe('Ar');
  expect(declaredVariables('')?.size).toBe(0);
  expect(declaredVariables('declare -- v="one\n\\"two"\ndeclare -- w="x"\n')?.get('v')?.value).toBe('one\n"two');
  const values = ["v=$'a\\001'", "v='$'\\''a\\001'\\'", `v='("x")'`, 'v=(x)'].map(
    (text) => declaredBy(text)?.get('v')?.value,
  );
  expect(values).toEqual(["$'a\\001'", `"\\$'a\\\\001'"`, `"(\\"x\\")"`, '([0]="x")']);
  expect(declaredVariables('v=1\n')).toBeNull();
  expect(declaredVariables('declare -- v="x')).toBeNull();
});
