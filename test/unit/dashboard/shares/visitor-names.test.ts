import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extensionOf, numberedName, safeName } from '../../../../src/dashboard/shares/drop-links.ts'

test('safeName keeps what follows the last slash, not hidden and without odd characters', () => {
  for (const [given, kept] of [
    ['photo.JPG', 'photo.JPG'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\a.txt', 'a.txt'],
    ['.htaccess', 'htaccess'],
    [' . .a. . ', 'a'],
    ['..', 'file'],
    ['', 'file'],
    ['a/', 'file'],
    ['a\u0000b\nc\u202etxt.exe', 'a_b_c_txt.exe'],
    ['a<b>:"|?*.txt', 'a_b______.txt'],
    ['con.txt', '_con.txt'],
    ['e\u0301.txt', 'é.txt'],
    ['\ud800.txt', '\ufffd.txt'],
  ] as const) {
    assert.equal(safeName(given), kept, JSON.stringify(given))
  }
})

test('safeName shortens a name without cutting a character or its extension', () => {
  const name = safeName(`${'ж'.repeat(1_000)}.tar`)
  assert.equal(name, `${'ж'.repeat(98)}.tar`)
  assert.equal(safeName(`a.${'😀'.repeat(100_000)}`), `a.${'😀'.repeat(49)}`)
  assert.equal(safeName('.'.repeat(1_000_000)), 'file')
})

test('numberedName puts the number before the extension', () => {
  assert.equal(numberedName('a.b.txt', 1), 'a.b.txt')
  assert.equal(numberedName('a.b.txt', 2), 'a.b (2).txt')
  assert.equal(numberedName('README', 10), 'README (10)')
})

test('extensionOf returns the last extension, in lower case', () => {
  assert.deepEqual(['a.TXT', 'a.pdf.exe', 'a', 'a.', '.b'].map(extensionOf), [
    'txt',
    'exe',
    '',
    '',
    '',
  ])
})
