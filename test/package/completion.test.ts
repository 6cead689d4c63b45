import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { commands } from '../../src/app/cli/commands.ts'
import { completionScript } from '../../src/app/cli/completion.ts'

const absence = (program: string) =>
  existsSync(program) ? false : `needs ${program} of the Debian package of that name`

function linesOf(program: string, ...args: readonly string[]): string[] {
  return execFileSync(program, args, { encoding: 'utf8' }).trim().split('\n').filter(Boolean)
}

describe('fish completes', { skip: absence('/usr/bin/fish') }, () => {
  const offers = (line: string) => {
    const ask = `complete -C ${JSON.stringify(line)}`
    const program = `${completionScript('fish', commands)}\n${ask}`
    return linesOf('/usr/bin/fish', '--no-config', '-c', program).map((text) => text.split('\t')[0])
  }

  test('commands', () => assert.deepEqual(offers('bucketry ver'), ['verify', 'version']))
  test('settings', () => {
    assert.deepEqual(offers('bucketry serve --tls-k'), ['--tls-key', '--tls-key-file'])
  })
  test('flags of a command', () => {
    assert.deepEqual(offers('bucketry verify photos --pref'), ['--prefix'])
    assert.deepEqual(offers('bucketry check --pref'), [])
  })
})

describe('zsh completes', { skip: absence('/usr/bin/zsh') }, () => {
  /** What the function offers, in place of the line editor, which needs a terminal. */
  const offers = (...words: readonly string[]) => {
    const program = `
      compdef() { }
      compadd() { shift; print -l -- $argv | grep -e "^$PREFIX" }
      _describe() { print -l -- \${\${(P)2}%%:*} | grep -e "^$PREFIX" }
      _files() { }
      ${completionScript('zsh', commands)}
      words=(bucketry "$@"); CURRENT=$#words; PREFIX=$words[-1]
      _bucketry; true`
    return linesOf('/usr/bin/zsh', '-f', '-c', program, 'zsh', ...words)
  }

  test('commands', () => assert.deepEqual(offers('ver'), ['verify', 'version']))
  test('settings', () => assert.deepEqual(offers('--tls-k'), ['--tls-key', '--tls-key-file']))
  test('flags of a command', () => {
    assert.deepEqual(offers('verify', 'photos', '--pref'), ['--prefix'])
    assert.deepEqual(offers('check', '--pref'), [])
  })
})
