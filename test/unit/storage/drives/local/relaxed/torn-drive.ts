import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Drive } from '../../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import type { VersioningOf } from '../../../../../../src/storage/drives/versions.ts'
import type { MemoryRecords } from '../memory-records.ts'
import { bucket } from '../open-drive.ts'

const silent = { warn: () => undefined }

/** The pause of relaxed-writes.ts, and more than any test takes. */
const [roundMs, lateMs] = [1_000, 3_600_000]

/** As statfs(2). */
export const fileSystems = { ext4: 0xef53, tmpfs: 0x01021994 } as const

/**
 * Opens a relaxed drive. A test "kills" it by no longer using it, and closes it at the end.
 *
 * @param type what the file system seems to be. The tests run in memory where they can.
 */
export async function openRelaxed(
  t: TestContext,
  root: string,
  records: MemoryRecords,
  type: number = fileSystems.ext4,
  versioningOf?: VersioningOf,
): Promise<Drive> {
  withoutRounds(t)
  const { statfs } = fs.promises
  t.mock.method(fs.promises, 'statfs', async (path: string) => ({ ...(await statfs(path)), type }))
  const drive = await openLocalDrive({ root, records, log: silent, relaxes: true, versioningOf })
  t.after(() => drive.close())
  await drive.prepare([bucket])
  return drive
}

/** A round syncs what was written a second ago. On a busy machine, a test takes longer than that to tear it. */
function withoutRounds(t: TestContext): void {
  const { setTimeout } = globalThis
  const late = (work: () => void, ms: number, ...given: []) =>
    setTimeout(work, ms === roundMs ? lateMs : ms, ...given)
  t.mock.method(globalThis, 'setTimeout', late)
}

/** The notes of unsynced writes on the drive. */
export function notesOn(root: string): string[] {
  const folder = join(root, '.bucketry', 'unsynced')
  return fs.readdirSync(folder).map((name) => join(folder, name))
}

/** Makes the notes look as those of a process that ran before the system was started again. */
export function renameBoot(root: string): void {
  renameNotes(root, /[0-9a-f-]{36}\./, '00000000-0000-0000-0000-000000000000.')
}

/** Makes the notes look as those of a process that was killed. */
export function endProcess(root: string): void {
  renameNotes(root, /%2F\d+%2F/, '%2F1999999999%2F')
}

function renameNotes(root: string, pattern: RegExp, other: string): void {
  const notes = notesOn(root)
  assert.ok(notes.length > 0, 'there are notes')
  for (const note of notes) {
    const renamed = note.replace(pattern, other)
    assert.notEqual(renamed, note)
    fs.renameSync(note, renamed)
  }
}

/** What a power failure can make of a file that was not synced. Its times stay. */
export const tears: Readonly<Record<string, (path: string) => void>> = {
  empty: (path) => fs.truncateSync(path, 0),
  cut: (path) => fs.truncateSync(path, Math.floor(fs.statSync(path).size / 2)),
  zeros: (path) => {
    const { size } = fs.statSync(path)
    const fd = fs.openSync(path, 'r+')
    fs.writeSync(fd, Buffer.alloc(size), 0, size, 0)
    fs.closeSync(fd)
  },
  'zeros at the end': (path) => {
    const { size } = fs.statSync(path)
    fs.truncateSync(path, size - 1)
    fs.truncateSync(path, size)
  },
}

export function tear(path: string, kind: string): void {
  const reference = `${path}.times`
  fs.writeFileSync(reference, '')
  execFileSync('touch', ['-r', path, reference])
  tears[kind]?.(path)
  execFileSync('touch', ['-r', reference, path])
  fs.unlinkSync(reference)
}
