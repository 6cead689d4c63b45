import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseResults, report } from '../../../scripts/s3-tests-report.ts'

/** As pytest writes it. */
const aws = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="aws" errors="0">
  <testcase classname="s3tests.functional.test_s3" name="test_list" time="0.1"/>
  <testcase classname="s3tests.functional.test_s3" name="test_acl_read"><failure message="a &lt; b">trace</failure></testcase>
  <testcase classname="s3tests.functional.test_s3" name="test_copy[1-plain]"/>
  <testcase classname="s3tests.functional.test_s3" name="test_copy[1-enc]"><failure/></testcase>
  <testcase classname="s3tests.functional.test_s3" name="test_copy[2-enc]"><error/></testcase>
  <testcase classname="s3tests.functional.test_s3" name="test_cloud"><skipped type="pytest.skip"/></testcase>
</testsuite></testsuites>`
const byDefault = `<testsuites><testsuite name="contract">
  <testcase name="test_list"><failure/></testcase><testcase name="test_acl_read"><failure/></testcase>
</testsuite></testsuites>`

const table = [
  { group: 'encryption', reason: 'No encryption.', tests: ['test_copy'] },
  { group: 'ACLs', reason: 'No ACLs.', tests: ['test_acl_*'] },
  { group: 'ACLs', reason: 'The contract says so.', tests: ['test_list'], mode: 'contract' },
]
const results = [byDefault, aws].flatMap(parseResults)

test('parseResults reads the mode, names without parameters, and outcomes', () => {
  assert.deepEqual(
    parseResults(aws).map(({ mode, test, outcome }) => `${mode} ${test} ${outcome}`),
    [
      'aws test_list passed',
      'aws test_acl_read not passed',
      'aws test_copy passed',
      'aws test_copy not passed',
      'aws test_copy not passed',
      'aws test_cloud skipped by the suite',
    ],
  )
})

test('report counts by group and mode, and lists each test that does not pass with its reason', () => {
  const rows = report(results, table)
    .split('\n')
    .filter((line) => /^[|#]/.test(line))
  assert.deepEqual(rows, [
    "# Ceph's s3-tests",
    '| tests | aws | contract |',
    '| --- | --- | --- |',
    '| passed | 2 | 0 |',
    '| not passed | 3 | 2 |',
    '| skipped by the suite | 1 | 0 |',
    '| not run | 0 | 4 |',
    '| not passed: ACLs | 1 | 2 |',
    '| not passed: encryption | 2 | 0 |',
    '## ACLs',
    '| test | mode | reason |',
    '|---|---|---|',
    '| test_acl_read | aws, contract | No ACLs. |',
    '| test_list | contract | The contract says so. |',
    '## encryption',
    '| test | mode | reason |',
    '|---|---|---|',
    '| test_copy (2 of 3 cases) | aws | No encryption. |',
  ])
})

test('report takes the last result of a test', () => {
  const again = parseResults(
    '<testsuites><testsuite name="contract"><testcase name="test_list"/></testsuite></testsuites>',
  )
  const text = report([...results, ...again], table.slice(0, 2))
  assert.match(text, /^\| passed \| 2 \| 1 \|$/m)
})

test('report refuses a failure without a reason, and a reason of another mode', () => {
  const [encryption, , listing] = table
  assert.throws(
    () =>
      report(
        results,
        [encryption, listing].flatMap((row) => row ?? []),
      ),
    {
      message: 'without a reason: test_acl_read (contract), test_acl_read (aws)',
    },
  )
  const inAws = table.map((row) => ('mode' in row ? { ...row, mode: 'aws' } : row))
  assert.throws(() => report(results, inAws), /without a reason: test_list \(contract\)$/)
})

test('report refuses a pattern that no failing test fits', () => {
  const more = { group: 'tags', reason: 'No tags.', tests: ['test_tag_*'] }
  assert.throws(() => report(results, [...table, more]), {
    message: 'no test fails that fits test_tag_*',
  })
})
