import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { UsageError } from '../../../../src/app/cli/command.ts'
import { commands } from '../../../../src/app/cli/commands.ts'
import { completionScript } from '../../../../src/app/cli/completion.ts'

/** What bash offers for the last word. */
function bashOffers(...words: string[]): string[] {
  const program = `${completionScript('bash', commands)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bucketry; printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync('bash', ['-c', program, 'bash', 'bucketry', ...words])
  return output.toString().trim().split('\n').filter(Boolean)
}

test('bash completes commands and flags', () => {
  assert.deepEqual(bashOffers('ver'), ['verify', 'version'])
  assert.deepEqual(bashOffers('--tls-k'), ['--tls-key', '--tls-key-file'])
  assert.deepEqual(bashOffers('verify', 'photos', '--pre'), ['--prefix'])
  assert.deepEqual(bashOffers('backup', 'x'), [])
})

test('Other shells are refused', () => {
  for (const shell of ['powershell', 'toString']) {
    assert.throws(() => completionScript(shell, commands), UsageError)
  }
})
