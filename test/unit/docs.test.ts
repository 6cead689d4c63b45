import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { shots } from '../../scripts/screenshots/shots.ts'
import { texts as filesDialogs } from '../../web/src/texts/en/files-dialogs.ts'

const root = join(import.meta.dirname, '..', '..')
const images = join(root, 'docs/images')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function filesOf(...patterns: readonly string[]): string[] {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns]
  return execFileSync('git', listed, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
}

const documents = filesOf('*.md')

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

function headingsOf(path: string): string[] {
  return Array.from(read(path).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading)
}

/** As GitHub makes them of headings. */
function anchorsOf(path: string): string[] {
  return headingsOf(path).map((heading) =>
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

/** Files of the repository as pages name them: `src/platform/http/reply.ts`, `web/src/files`, `reply.ts`. */
const namedPath = /(?<![\w./:-])(?:src|test|web|scripts|bench|docs|\.github|\.ci)(?:\/[\w.-]*\w)+/g
const namedFile = /`((?:[\w-]+\/)*[\w.-]+\.tsx?)`/g

/** Written by the build. */
const notInRepository = new Set(['web/dist'])
const repositoryFiles = filesOf('.')

function assertPathsExist(path: string): void {
  for (const [named] of read(path).matchAll(namedPath)) {
    const exists = notInRepository.has(named) || existsSync(join(root, named))
    assert.ok(exists, `${path}: ${named}`)
  }
}

test('files and folders that comments name exist', () => {
  const files = filesOf('src', 'web/src', 'scripts', 'bench')
  // A migration never changes, since databases store its checksum: it names files where they were.
  for (const path of files.filter((file) => !file.endsWith('.sql'))) assertPathsExist(path)
})

for (const path of documents.filter((path) => path !== 'CHANGELOG.md')) {
  test(`files and folders that ${path} names exist`, () => {
    assertPathsExist(path)
    for (const [, named = ''] of read(path).matchAll(namedFile)) {
      assert.ok(
        repositoryFiles.some((file) => file === named || file.endsWith(`/${named}`)),
        named,
      )
    }
  })
}

/** All but this file, which has the forms themselves, and pictures. */
const citingFiles = filesOf('src', 'web/src', 'test', 'scripts', 'bench', 'docs').filter(
  (path) => path !== 'test/unit/docs.test.ts' && !path.endsWith('.png'),
)
const citingCode = citingFiles.filter((path) => !path.startsWith('docs/'))

/** The form that CONTRIBUTING.md describes: a page, then one heading or more. */
const citation = /docs\/contract\/([\w-]+\.md), ("[^"]+"(?:(?:, | and )"[^"]+")*)/g

/** A citation may wrap: without the line breaks inside of comments. */
const withoutBreaks = (text: string) => text.replace(/\n\s*(?:\*|\/\/|--) /g, ' ')

test('every citation of docs/contract names a page and a heading that exist', () => {
  let count = 0
  for (const path of citingFiles) {
    const text = withoutBreaks(read(path))
    const citations = Array.from(text.matchAll(citation))
    for (const [whole, page = '', headings = ''] of citations) {
      const file = `docs/contract/${page}`
      assert.ok(existsSync(join(root, file)), `${path}: ${whole}`)
      const existing = headingsOf(file)
      for (const [, heading = ''] of headings.matchAll(/"([^"]+)"/g)) {
        assert.ok(existing.includes(heading), `${path}: ${file} has no heading "${heading}"`)
        count += 1
      }
    }
  }
  assert.ok(count >= 50, `${count} citations`)
})

test('headings of docs/contract are unique in their page', () => {
  for (const path of documents.filter((path) => path.startsWith('docs/contract/'))) {
    assert.deepEqual(headingsOf(path), [...new Set(headingsOf(path))], path)
  }
})

test('code cites docs/contract in the form of CONTRIBUTING.md only', () => {
  const otherForm =
    /docs\/contract\/|\b(?:[Cc]ontract|[Dd]ecisions(?:\.md)?), |\b[Rr]ules? \d|\bIssue: /
  for (const path of citingCode) {
    const other = withoutBreaks(read(path)).replace(citation, '').match(otherForm)
    assert.ok(other === null, `${path}: ${other}`)
  }
})

test('docs/images has the pictures that npm run screenshots takes', () => {
  assert.deepEqual(readdirSync(images).sort(), shots.map(({ name }) => `${name}.png`).sort())
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
  for (const [keys, what] of filesDialogs().help.keys)
    assert.ok(guide.includes(`| ${keys} | ${what} |`), keys)
})

test('messages of the troubleshooting table of docs/google-drive.md are in the code', () => {
  const rows = read('docs/google-drive.md').split('## Troubleshooting')[1] ?? ''
  const messages = Array.from(rows.matchAll(/^\| ([^|(]*)\((?:\d+ )?(\w+)\)/gm))
  const code = filesOf('src/storage/drives/google').map(read).join('\n')
  for (const [, text = '', reason = ''] of messages) {
    for (const part of [text.replace('…', '').trim(), reason]) assert.ok(code.includes(part), part)
  }
  assert.ok(messages.length >= 6)
})
