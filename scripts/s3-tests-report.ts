import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { type Reason, reasons } from './s3-tests-reasons.ts'

/**
 * `node scripts/s3-tests-report.ts aws.xml contract.xml` writes docs/s3-tests.md from results of ceph's s3-tests in
 * JUnit's format. Each file has the results of one mode, which is the name of its suite. Of a test that is in two
 * files, the last result counts. CONTRIBUTING.md, "Run ceph's s3-tests", has the commands.
 */

/** A test in one mode. Each case of a test with parameters is a result of its own. */
export interface TestResult {
  readonly mode: string
  /** The test without its parameters. */
  readonly test: string
  /** With its parameters. */
  readonly name: string
  readonly outcome: 'passed' | 'not passed' | 'skipped by the suite'
}

const outcomes: Readonly<Record<string, TestResult['outcome']>> = {
  failure: 'not passed',
  error: 'not passed',
  skipped: 'skipped by the suite',
}

/** The results in a file of JUnit's format, as pytest writes it. */
export function parseResults(xml: string): TestResult[] {
  const results: TestResult[] = []
  const parser = new SaxesParser()
  let mode = ''
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testsuite') mode = attributes.name ?? ''
    if (name === 'testcase') {
      const { name: full = '' } = attributes
      results.push({ mode, test: full.replace(/\[.*/s, ''), name: full, outcome: 'passed' })
    }
    const outcome = outcomes[name]
    const last = results.at(-1)
    if (outcome !== undefined && last !== undefined) results.splice(-1, 1, { ...last, outcome })
  })
  parser.write(xml).close()
  return results
}

/** A test that does not pass for one reason: in all of these results. */
interface Failure {
  readonly test: string
  readonly reason: Reason
  readonly results: readonly TestResult[]
}

/**
 * The document.
 *
 * @throws Error if a test that does not pass has no reason, or a reason fits no test that does not pass.
 */
export function report(all: readonly TestResult[], table: readonly Reason[]): string {
  const results = [
    ...new Map(all.map((result) => [`${result.mode} ${result.name}`, result])).values(),
  ]
  const failed = results.filter(({ outcome }) => outcome === 'not passed')
  const failures = explain(failed, table)
  const modes = [...new Set(results.map(({ mode }) => mode))].sort()
  const counts = (counted: readonly TestResult[]) =>
    modes.map((mode) => String(counted.filter((result) => result.mode === mode).length))
  const totals = (['passed', 'not passed', 'skipped by the suite'] as const).map((wanted) =>
    row(wanted, ...counts(results.filter(({ outcome }) => outcome === wanted))),
  )
  const names = new Set(results.map(({ name }) => name))
  const notRun = modes.map((mode) =>
    String(names.size - results.filter((result) => result.mode === mode).length),
  )
  const groups = Object.entries(Object.groupBy(failures, ({ reason }) => reason.group)).sort()
  const summary = groups.map(([group, list = []]) =>
    row(`not passed: ${group}`, ...counts(list.flatMap((failure) => failure.results))),
  )
  const lists = groups.map(([group, list = []]) => {
    const head = `\n## ${group}\n\n| test | mode | reason |\n|---|---|---|\n`
    return head + list.map((failure) => failureRow(failure, results)).join('')
  })
  const head = row('tests', ...modes) + row('---', ...modes.map(() => '---'))
  return [introduction, head, ...totals, row('not run', ...notRun), ...summary, ...lists].join('')
}

const introduction = `# Ceph's s3-tests

[s3-tests](https://github.com/ceph/s3-tests) tests Ceph's RGW. Where RGW differs from AWS, Bucketry answers as AWS. This
page lists the tests of \`test_s3.py\` and \`test_headers.py\` that do not pass with one account and
\`BUCKET_CREATION=on\`, with \`COMPATIBILITY=aws\` also \`SERVER_SIDE_ENCRYPTION=claim\`, in each mode of [COMPATIBILITY](s3-compatibility.md#compatibilityaws). Each case of a test with
parameters is counted. [CONTRIBUTING.md](../CONTRIBUTING.md#run-cephs-s3-tests) says how to run the tests and
write this page.

`

const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |\n`

function failureRow({ test, reason, results }: Failure, all: readonly TestResult[]): string {
  const modes = [...new Set(results.map(({ mode }) => mode))].sort()
  const cases = all.filter((result) => result.test === test && modes.includes(result.mode))
  const share = cases.length > modes.length ? ` (${results.length} of ${cases.length} cases)` : ''
  return row(`${test}${share}`, modes.join(', '), reason.reason)
}

/** The failures by the first reason that fits each, sorted by their tests. */
function explain(failed: readonly TestResult[], table: readonly Reason[]): Failure[] {
  const explained = failed.map((result) => ({ result, match: matchOf(result, table) }))
  const unexplained = explained.filter(({ match }) => match === undefined)
  if (unexplained.length > 0) {
    const names = unexplained.map(({ result }) => `${result.name} (${result.mode})`)
    throw new Error(`without a reason: ${names.join(', ')}`)
  }
  const used = new Set(explained.map(({ match }) => match?.pattern))
  const stale = table.flatMap(({ tests }) => tests).filter((pattern) => !used.has(pattern))
  if (stale.length > 0) throw new Error(`no test fails that fits ${stale.join(', ')}`)
  const failures = table.flatMap((reason) => {
    const results = explained.flatMap(({ result, match }) =>
      match?.reason === reason ? [result] : [],
    )
    const byTest = Object.entries(Object.groupBy(results, ({ test }) => test))
    return byTest.map(([test, list = []]) => ({ test, reason, results: list }))
  })
  return failures.sort((a, b) => (a.test < b.test ? -1 : 1))
}

function matchOf({ test, mode }: TestResult, table: readonly Reason[]) {
  const matches = table.flatMap((reason) => {
    if (reason.mode !== undefined && reason.mode !== mode) return []
    return reason.tests
      .filter((pattern) => fits(test, pattern))
      .map((pattern) => ({ reason, pattern }))
  })
  return matches[0]
}

function fits(test: string, pattern: string): boolean {
  return pattern.endsWith('*') ? test.startsWith(pattern.slice(0, -1)) : test === pattern
}

if (import.meta.main) {
  const results = process.argv.slice(2).flatMap((path) => parseResults(readFileSync(path, 'utf8')))
  writeFileSync(join(import.meta.dirname, '../docs/s3-tests.md'), report(results, reasons))
}
