import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const main = join(import.meta.dirname, '../../../../src/main.ts')

test('Commands whose reader has closed the pipe end with a status and no stack', async () => {
  for (const args of [['help'], ['--help'], ['completion', 'bash'], ['version']]) {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual([stderr, status], ['', 1], args.join(' '))
  }
})
