import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeEnvFile,
  formatEnvFile,
  parseEnvFile,
} from '../../../../src/app/settings/env-file.ts'

test('An env file returns what was written to it', () => {
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

test('An env file keeps its other lines when values change', () => {
  const text = '# mine\n\nA=1\nexport B=2\nodd line\nC=3\nA=old'
  assert.equal(
    changeEnvFile(text, { A: 'x', B: undefined, D: 'new', E: undefined }),
    '# mine\n\nA=x\nodd line\nC=3\nD=new\n',
  )
  assert.equal(changeEnvFile('', { A: '1' }), 'A=1\n')
  assert.throws(() => changeEnvFile('', { A: 'two words' }), RangeError)
})
