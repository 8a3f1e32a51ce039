// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Which variables a line certainly sets before it uses them: a grant need not bind their present values. */
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { LineReading } from '../../src/core/reading/line-reading.ts';

const found = (text: string) =>
  [...new LineReading(text, parse).assignedFirst.keys()].filter((name) => name !== '_' || text.includes('$_')).sort();

it.each([
  ['d=/x; rm $d', ['d']],
  ['d=$(pwd)/x && rm $d || echo $d', ['d']],
  ['a=1 b=$a; echo $a $b', ['a', 'b']],
  ['a=(x y); echo ${a[@]}', ['a']],
  ['d=/x\nif true; then rm $d; fi', ['d']],
  ['for f in *.ts; do echo $f; done; for f in a; do echo $f; done', ['f']],
  ['ls | while IFS= read -r f; do echo $f; done', ['f']],
  ['cd sub && d=/x && rm $d', ['d']],
  ['if true; then d=/x; rm $d; else d=/y; rm $d; fi', ['d']],
  ['f() { d=/x; rm $d; }; f', ['d']],
  ['mkdir x && cd $_', ['_']],
  ['mkdir x; cd $_', ['_']],
])('%s: %j', (text, names) => {
  expect(found(text)).toEqual(names);
});

it.each([
  'rm $d; d=/x',
  'd=$d/x; rm $d',
  'd=x$d',
  'd+=x; rm $d',
  'd[0]=x; rm $d',
  'd=/x rm $d',
  'd=/x >file; rm $d',
  '(d=/x); rm $d',
  'd=/x | cat; rm $d',
  'd=/x & rm $d',
  'false && d=/x; rm $d',
  'false && d=/x || rm $d',
  'true || d=/x; rm $d',
  'if a; then d=/x; fi; rm $d',
  'for d in a; do :; done; rm $d',
  'for d in $d; do rm $d; done',
  'while read -r d; do rm $d; done; rm $d',
  'until read -r d; do rm $d; done',
  'while read -r d <file; do rm $d; done',
  'while read -u 9 d; do rm $d; done',
  'f() { d=/x; }; rm $d',
  'read -r d; rm $d',
  'export d=/x; rm $d',
  'rm $d d',
  "trap 'rm $d' EXIT; d=/x",
  "echo ''; eval $'rm $\\x64'; d=/x; rm $d",
  'cat <<E; d=/x; rm $d\n$d\nE',
  'd=`echo \\$d`; rm $d',
  'time d=/x; rm $d',
  'mkdir $_; cd x',
  'mkdir x >file; cd $_',
  'mkdir x | cat; cd $_',
  '$program x; cd $_',
  'd=/x; (',
])('%s: none', (text) => {
  expect(found(text)).toEqual([]);
});
