import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
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

for (const value of ['a b', '$HOME', '`id`', 'a;b', '"', ' x ', '#', 'a\u2028b']) {
  test(`An env file has ${JSON.stringify(value)} in quotes, in which a shell interprets nothing`, () => {
    const text = formatEnvFile('comment', { A: value })
    assert.deepEqual(parseEnvFile(text), { A: value })
    const shell = execFileSync('sh', ['-c', `${text}printf %s "$A"`], { encoding: 'utf8' })
    assert.equal(shell, value)
  })
}

for (const value of ["it's", 'a\nb']) {
  test(`An env file refuses ${JSON.stringify(value)}`, () => {
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
  assert.equal(changeEnvFile('A=1\n', { A: 'two words' }), "A='two words'\n")
})
