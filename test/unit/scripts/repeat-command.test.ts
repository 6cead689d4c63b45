import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { repeatCommand } from '../../support/repeat-command.ts'

const root = mkdtempSync(join(tmpdir(), 'bucketry-repeat-'))
after(() => rmSync(root, { recursive: true }))
const environment = { PATH: process.env.PATH, HOME: root, TMPDIR: root }

function inRoot(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: root, env: environment, encoding: 'utf8' })
}

function commit(script: string): void {
  const project = { name: 'p', version: '1.0.0', scripts: { test: script } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(project))
  inRoot('git', 'add', 'package.json', 'package-lock.json')
  inRoot('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', script)
}

test('the command repeats the failed files with the same choice on the commit before', () => {
  inRoot('git', 'init', '-q')
  const packages = { '': { name: 'p', version: '1.0.0' } }
  const lock = { name: 'p', version: '1.0.0', lockfileVersion: 3, packages }
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock))
  commit('echo before $SHARE_TURN $CI $FULL')
  commit('echo failed')
  const command = repeatCommand({
    commit: inRoot('git', 'rev-parse', '--short', 'HEAD').trim(),
    files: ['test/faults/google.test.ts', 'test/unit/a b.test.ts'],
    variables: { CI: 'true', FULL: undefined, SHARE_TURN: '723' },
  })
  const printed = inRoot('bash', '-c', command)
  assert.match(
    printed,
    /^before 723 true test\/faults\/google\.test\.ts test\/unit\/a b\.test\.ts$/m,
  )
  assert.equal(inRoot('bash', '-c', 'git worktree list').trim().split('\n').length, 2)
})
