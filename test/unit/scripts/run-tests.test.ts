import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, type TestContext, test } from 'node:test'
import { until } from '../../support/management-client.ts'

const root = mkdtempSync(join(tmpdir(), 'bucketry-run-tests-'))
after(() => rmSync(root, { recursive: true }))
const program = join(import.meta.dirname, '../../support/run-tests.ts')

const imports = `
  import { spawn, spawnSync } from 'node:child_process'
  import { existsSync, writeFileSync } from 'node:fs'
  import test from 'node:test'
  const sleep = (stdio) => spawn('sleep', ['1000'], { detached: true, stdio })
  const known = (...pids) => writeFileSync(import.meta.filename + '.pids', pids.join(' '))`

/** Its process takes no SIGTERM, and neither ends nor closes its output, which another process also holds. */
const hangs = `${imports}
  process.on('SIGTERM', () => undefined)
  test('ends', () => undefined)
  setInterval(() => undefined, 1000)
  known(process.pid, sleep('inherit').pid)`

const passes = `${imports}
  test('passes', () => undefined)`

const fails = `${imports}
  test('fails', () => { throw new Error('on purpose') })`

/** Its process ends. Another one, whose parent has ended, still holds its output. */
const leavesOutput = `${imports}
  test('passes', () => undefined)
  const shell = spawnSync('sh', ['-c', 'sleep 1000 2>/dev/null & echo $! >&2'], { stdio: ['ignore', 'inherit', 'pipe'] })
  known(Number(shell.stderr))`

/** Begins to run these files. */
function begin(t: TestContext, files: readonly string[], settings: Record<string, string>) {
  const folder = mkdtempSync(join(root, 'run-'))
  const paths = files.map((content, index) => {
    const path = join(folder, `${index}.test.mjs`)
    writeFileSync(path, content)
    return path
  })
  const env = { PATH: process.env.PATH, TMPDIR: folder, ...settings }
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [program, ...paths], { env, stdio: [...stdio] })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const ended = once(child, 'close').then(([status]) => ({ status, printed }))
  return { child, paths, ended, printed: () => printed }
}

function pidsOf(path: string): number[] {
  return readFileSync(`${path}.pids`, 'utf8').split(' ').map(Number)
}

/** A process that nobody has waited for yet has ended as well. */
function doesRun(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
}

suite('run-tests.ts', {
  concurrency: true,
  skip: process.platform !== 'linux' && 'needs /proc',
}, () => {
  test('ends a file that hangs, with all that it started, and runs the others', async (t) => {
    const files = [hangs, leavesOutput, passes]
    const { paths, ended } = begin(t, files, { LONGEST_FILE_MS: '10000' })
    const { printed, status } = await ended
    assert.match(printed, /0\.test\.mjs takes longer than 10 s: it is killed/)
    assert.match(printed, /1\.test\.mjs takes longer than 10 s: it has ended, but another/)
    assert.match(printed, /^3 passed, 2 failed, 0 skipped$/m)
    assert.doesNotMatch(printed, /still running/)
    assert.equal(status, 1)
    const [hung = '', left = ''] = paths
    await until(() => !pidsOf(hung).some(doesRun))
    for (const pid of pidsOf(left)) process.kill(pid)
  })

  for (const [what, settings] of [
    ['a signal', {}],
    ['its own limit', { CI: 'true', LONGEST_RUN_MS: '10000' }],
  ] as const) {
    test(`says at ${what} what runs and what has failed`, async (t) => {
      const run = begin(t, [fails, hangs], settings)
      const [failed = '', hung = ''] = run.paths
      await until(() => run.printed().includes('✖ fails') && existsSync(`${hung}.pids`))
      if (what === 'a signal') run.child.kill('SIGTERM')
      const { printed, status } = await run.ended
      assert.match(printed, new RegExp(`^still running after \\d+ s: ${hung}$`, 'm'))
      assert.match(printed, new RegExp(`^failed before: .*${failed.slice(1)}: fails$`, 'm'))
      assert.equal(status, 1)
      await until(() => !pidsOf(hung).some(doesRun))
    })
  }
})
