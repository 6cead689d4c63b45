import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { shots } from '../../scripts/screenshots/shots.ts'
import { shortcuts } from '../../web/src/files/grid-command.ts'

const root = join(import.meta.dirname, '..', '..')
const images = join(root, 'docs/images')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
const documents = execFileSync('git', listed, { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))

/** What is code is no link. */
function textOf(path: string): string {
  return read(path)
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, '')
}

/** Targets of links and images, of Markdown and of HTML. */
function targetsOf(path: string): string[] {
  const targets = textOf(path).matchAll(/\]\(([^()\s]+(?:\([^()]*\))?)\)|(?:src|href)="([^"]+)"/g)
  return Array.from(targets, ([, markdown, html]) => markdown ?? html ?? '').filter(
    (target) => !/^[a-z]+:/.test(target),
  )
}

/** As GitHub makes them of headings. */
function anchorsOf(path: string): string[] {
  return Array.from(read(path).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
}

for (const path of documents) {
  test(`links of ${path} lead somewhere`, () => {
    for (const target of targetsOf(path)) {
      const [file = '', anchor] = target.split('#')
      const place = file === '' ? path : join(dirname(path), file)
      assert.ok(existsSync(join(root, place)), target)
      if (anchor !== undefined) assert.ok(anchorsOf(place).includes(anchor), target)
    }
  })

  test(`pictures of ${path} have a description`, () => {
    assert.doesNotMatch(textOf(path), /!\[\s*\]\(|<img (?![^>]*alt="[^"])/)
  })
}

test('docs/images has the pictures that npm run screenshots takes, small enough for a page', () => {
  const names = readdirSync(images).sort()
  assert.deepEqual(names, shots.map(({ name }) => `${name}.png`).sort())
  const sizes = names.map((name) => statSync(join(images, name)).size)
  for (const [index, bytes] of sizes.entries()) assert.ok(bytes < 380_000, names[index])
  assert.ok(sizes.reduce((sum, bytes) => sum + bytes) < 1_200_000)
})

test('pictures are as large as their windows at two dots a pixel', () => {
  for (const { name, viewport } of shots) {
    // PNG, section 11.2.1: width and height stand at bytes 16 and 20.
    const header = readFileSync(join(images, `${name}.png`))
    const size = { width: header.readUInt32BE(16) / 2, height: header.readUInt32BE(20) / 2 }
    assert.deepEqual(size, viewport, name)
  }
})

test('docs/dashboard.md shows every picture and every shortcut of the keyboard', () => {
  const guide = read('docs/dashboard.md')
  for (const { name } of shots) assert.ok(guide.includes(`images/${name}.png`), name)
  for (const [keys, what] of shortcuts) assert.ok(guide.includes(`| ${keys} | ${what} |`), keys)
})
