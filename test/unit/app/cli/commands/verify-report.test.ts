import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VerifyReport } from '../../../../../src/app/cli/commands/verify-report.ts'
import type { Verdict } from '../../../../../src/app/cli/verify/verify-object.ts'

const verified: Verdict = { kind: 'verified' }
const differences = [{ what: 'ETag', expected: 'aa', found: 'bb' }]
const mismatch: Verdict = { kind: 'mismatch', differences }
const unreadable: Verdict = { kind: 'unreadable', reason: 'No permission.', isUnanswered: false }

function reportOf(verdicts: Readonly<Record<string, Verdict>>, isJson = false) {
  let text = ''
  const output = { write: (more: string) => (text += more) }
  const report = new VerifyReport({ bucket: 'photos', isJson, output })
  for (const [key, verdict] of Object.entries(verdicts)) {
    if (verdict.kind === 'verified') report.addBytes(2 ** 20)
    report.add({ key }, verdict)
  }
  report.end()
  return { text, status: report.exitStatus }
}

test('The exit status is 1 for a difference, 2 for an unreadable object, otherwise 0', () => {
  assert.equal(reportOf({ a: verified, b: { kind: 'gone' } }).status, 0)
  assert.equal(reportOf({ a: verified, b: { kind: 'unverifiable' } }).status, 0)
  assert.equal(reportOf({ a: verified, b: unreadable }).status, 2)
  assert.equal(reportOf({ a: mismatch, b: unreadable, c: verified }).status, 1)
})

test('A run that stopped before its end is a failure to read', () => {
  let text = ''
  const output = { write: (more: string) => (text += more) }
  const report = new VerifyReport({ bucket: 'photos', isJson: false, output })
  report.addFailure('The server does not answer.')
  assert.equal(report.exitStatus, 2)
  assert.equal(
    text,
    'photos: the run stopped: The server does not answer. Objects not read yet are not verified.\n',
  )
})

test('Findings name bucket, key, expected and found; keys cannot command the terminal', () => {
  const { text } = reportOf({ a: mismatch, 'b\u001b[2J\u009b"': unreadable, c: verified })
  assert.equal(
    text,
    [
      '"photos/a": ETag: expected aa, found bb',
      '"photos/b\\u001b[2J\\u009b\\"": can\'t be read: No permission.',
      'photos: 1 verified, 0 not verifiable, 1 different, 1 not readable (1.0 MiB read)\n',
    ].join('\n'),
  )
})

test('With --json each finding and the summary are separate documents', () => {
  const { text } = reportOf({ a: mismatch, b: unreadable, c: verified }, true)
  const documents = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const bucket = 'photos'
  assert.deepEqual(documents, [
    { kind: 'mismatch', bucket, key: 'a', what: 'ETag', expected: 'aa', found: 'bb' },
    { kind: 'unreadable', bucket, key: 'b', reason: 'No permission.' },
    {
      ...{ kind: 'summary', bucket, bytes: 2 ** 20 },
      ...{ verified: 1, unverifiable: 0, mismatch: 1, gone: 0, unreadable: 1 },
    },
  ])
})

test('Progress is shown on a terminal, and cleared before each line', () => {
  const shown: string[] = []
  const output = {
    write: (text: string) => shown.push(text),
    showProgress: (text: string) => shown.push(`[${text}]`),
  }
  const report = new VerifyReport({ bucket: 'photos', isJson: false, output })
  report.addBytes(2 ** 20)
  report.addBytes(1)
  report.add({ key: 'a' }, verified)
  report.end()
  const summary =
    'photos: 1 verified, 0 not verifiable, 0 different, 0 not readable (1.0 MiB read)\n'
  assert.deepEqual(shown, ['[objects: 0, 1.0 MiB read]', '[]', summary])
})

test('A finding names the former version', () => {
  for (const [isJson, line] of [
    [false, '"photos/a" version "v1": ETag: expected aa, found bb\n'],
    [
      true,
      '{"kind":"mismatch","bucket":"photos","key":"a","versionId":"v1","what":"ETag","expected":"aa","found":"bb"}\n',
    ],
  ] as const) {
    let text = ''
    const output = { write: (more: string) => (text += more) }
    new VerifyReport({ bucket: 'photos', isJson, output }).add(
      { key: 'a', versionId: 'v1' },
      mismatch,
    )
    assert.equal(text, line)
  }
})
