import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const workflows = globSync('.github/workflows/*.yml', { cwd: root })
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number }>>
}

test('actions are those of GitHub by major version, or pinned by commit', () => {
  let count = 0
  for (const path of workflows) {
    for (const [, action = ''] of read(path).matchAll(/^\s+-? *uses: (.*)$/gm)) {
      assert.match(action, /^actions\/[\w-]+@v\d+$|^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      count += 1
    }
  }
  assert.ok(count >= 5, `${count} actions`)
})

test('jobs have a time limit, and a workflow may only read unless a job says otherwise', () => {
  assert.ok(workflows.length >= 2)
  for (const path of workflows) {
    const { permissions, jobs } = parse(read(path)) as Workflow
    assert.deepEqual(permissions, { contents: 'read' }, path)
    for (const [name, job] of Object.entries(jobs)) {
      assert.ok(job['timeout-minutes'] !== undefined, `${path}: ${name}`)
    }
  }
})
