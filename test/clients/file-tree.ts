import assert from 'node:assert/strict'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { sha256OfFile, testBytes } from '../support/test-bytes.ts'

/**
 * Names that are difficult for file systems and clients. `a-b` sorts before the keys of folder `a`.
 */
const files: Readonly<Record<string, number>> = {
  empty: 0,
  one: 1,
  'a b/c d': 1000,
  'a-b': 10,
  'a/deep/er/file.txt': 65_536,
  'a/é ü 漢字': 65_537,
  'plus+and&percent%20': 300,
  "quote's": 5,
  'a/.hidden': 7,
  'large.bin': 20_000_000,
  z: 8192,
}

const writtenAt = new Date('2026-01-02T03:04:05Z')

/** Creates a small tree with many kinds of names and sizes; returns the folder. */
export async function makeTree(folder: string): Promise<string> {
  for (const [name, length] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, testBytes(name, length))
    // Listings have whole seconds: a file as recent as its upload would look newer than the object.
    await utimes(path, writtenAt, writtenAt)
  }
  return folder
}

/** Asserts that both folders have exactly the same files and bytes. */
export async function assertSameTree(actual: string, expected: string): Promise<void> {
  assert.deepEqual(await digests(actual), await digests(expected))
}

async function digests(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const pairs = paths.map(async (path) => [relative(folder, path), await sha256OfFile(path)])
  return Object.fromEntries(await Promise.all(pairs))
}
