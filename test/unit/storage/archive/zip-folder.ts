import { execFileSync } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A chunk of zeros of this length is not written. */
export const hole = Buffer.alloc(16 * 1024 * 1024)

export interface ZipTarget {
  readonly path: string
  readonly write: (chunk: Uint8Array) => Promise<void>
}

/** A file for an archive, where long runs of zeros take no space. */
export async function zipTarget(t: TestContext): Promise<ZipTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-zip-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'archive.zip')
  const file = openSync(path, 'w')
  let offset = 0
  const write = async (chunk: Uint8Array) => {
    if (chunk.length < hole.length || !hole.equals(chunk)) {
      writeSync(file, chunk, 0, chunk.length, offset)
    }
    offset += chunk.length
  }
  return { path, write }
}

const reader = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    bad = z.testzip() if sys.argv[2] == 'all' else None
    print(json.dumps({'bad': bad, 'entries': [[i.filename, i.file_size, list(i.date_time), i.compress_type,
      z.read(i).decode() if i.file_size < 1000 and len(z.filelist) < 1000 else None] for i in z.infolist()]}))
`

interface ReadZip {
  readonly bad: string | null
  readonly entries: readonly (readonly [string, number, readonly number[], number, string | null])[]
}

/** What Python's reader finds in an archive, which checks its structure and, with `all`, every CRC. */
export function readZip(path: string, which: 'all' | 'names' = 'all'): ReadZip {
  const text = execFileSync('python3', ['-c', reader, path, which], {
    maxBuffer: 256 * 1024 * 1024,
  })
  return JSON.parse(text.toString()) as ReadZip
}
