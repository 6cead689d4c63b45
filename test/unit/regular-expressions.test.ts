import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { analyse } from 'scslre'
import { parseAst } from 'vite'

const root = join(import.meta.dirname, '..', '..')

/** Regular expression literals of a file: anything below a node that has a `regex`. */
function expressionsOf(path: string): RegExp[] {
  const found: RegExp[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { regex } = node as { regex?: { pattern: string; flags: string } | null }
    if (regex != null) found.push(new RegExp(regex.pattern, regex.flags))
    else for (const child of Object.values(node)) visit(child)
  }
  const lang = path.endsWith('x') ? 'tsx' : 'ts'
  visit(parseAst(readFileSync(join(root, path), 'utf8'), { lang }))
  return found
}

/** Whether the time of a failing match grows faster than the text, because there are several ways to match. */
function backtracksFar(expression: RegExp): boolean {
  return analyse(expression, { reportTypes: { Move: false } }).reports.length > 0
}

test('no regular expression takes quadratic time or longer by backtracking', () => {
  const slow: string[] = []
  let count = 0
  for (const path of globSync('{src,web/src}/**/*.{ts,tsx}', { cwd: root })) {
    for (const expression of expressionsOf(path)) {
      count += 1
      if (backtracksFar(expression)) slow.push(`${path}: ${expression}`)
    }
  }
  assert.deepEqual(slow, [])
  assert.ok(count > 100, `${count} expressions were found`)
})

test('a field with two runs of spaces side by side is noticed', () => {
  assert.ok(backtracksFar(/^bytes=\s*(\d*)\s*-$/))
  assert.ok(!backtracksFar(/^bytes=(\d*)-$/))
})
