import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { startArguments } from '../support/start-command.ts'

const skip = process.getuid?.() === 0 ? false : 'only root may create a PID namespace'

/** The gateway as process 1 of a new PID namespace, as in a container: no default action of a signal applies. */
function startAsFirst(t: TestContext, folder: string, settings: Readonly<Record<string, string>>) {
  const isolated = ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath]
  const child = spawn('unshare', [...isolated, ...startArguments()], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, PORT: '0', WORKERS: '1', ...settings },
  })
  const exit = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
  })
  let output = ''
  let wake = (): void => undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text
      wake()
    })
  }
  return {
    /** Resolves when the output has this text. */
    async says(text: string): Promise<void> {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`it ended:\n${output}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    /** Sends the signal to the gateway; resolves with the exit status. */
    async end(signal: NodeJS.Signals): Promise<number | null> {
      const path = `/proc/${child.pid}/task/${child.pid}/children`
      process.kill(Number(readFileSync(path, 'utf8')), signal)
      const [status] = await exit
      return status
    },
    output: () => output,
  }
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-first-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('SIGTERM ends a gateway that is process 1', { skip, timeout: 30_000 }, async (t) => {
  const gateway = startAsFirst(t, temporaryFolder(t), {})
  await gateway.says('"msg":"listening"')
  assert.equal(await gateway.end('SIGTERM'), 0)
  assert.match(gateway.output(), /"msg":"stopped"/)
})

test('SIGTERM ends a gateway that is process 1 and still starts', {
  skip,
  timeout: 30_000,
}, async (t) => {
  const folder = temporaryFolder(t)
  const owner = await startGatewayProcess({ folder })
  await owner.kill()
  // The drive belongs to another database: the start waits until its gateways have been silent for long enough.
  const database = `sqlite:${join(folder, 'other.db')}`
  const gateway = startAsFirst(t, folder, { ...owner.environment, DATABASE_URL: database })
  await gateway.says('"msg":')
  assert.equal(await gateway.end('SIGTERM'), 143)
  assert.doesNotMatch(gateway.output(), /"msg":"listening"/)
})
