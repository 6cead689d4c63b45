import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatEnvFile, parseEnvFile } from '../../../../src/wiring/settings/env-file.ts'

test('An env file gives back what was written to it', () => {
  const values = { ACCESS_KEY: 'AK123', ALLOWED_BUCKETS: 'a,b.c', PUBLIC_URL: 'https://h:1/' }
  assert.deepEqual(parseEnvFile(formatEnvFile('comment', values)), values)
})

test('An env file is read as a shell reads it', () => {
  const text = '# note\n\nexport A=1\r\nB="two words"\nC=\'x\'\n  D=a=b\nE=\nnot a line\nF="\n'
  assert.deepEqual(parseEnvFile(text), { A: '1', B: 'two words', C: 'x', D: 'a=b', E: '', F: '"' })
})

for (const value of ['a b', '$HOME', '`id`', "it's", 'a;b', 'a\nb', '"']) {
  test(`An env file refuses ${JSON.stringify(value)}, which a shell would interpret`, () => {
    assert.throws(() => formatEnvFile('comment', { A: value }), RangeError)
  })
}
