import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { get } from '../../contract/drive/stored-object.ts'
import type { UploadSession } from '../../contract/drive/upload-session.ts'
import {
  type GoogleDrive,
  type GoogleWorld,
  googleWorld,
  leftoversIn,
} from '../../contract/google-drive-under-test.ts'

/** An open drive on a new emulated Google Drive. */
export interface Scene extends GoogleWorld {
  readonly drive: GoogleDrive
}

export async function scene(t: TestContext): Promise<Scene> {
  const world = await googleWorld(t)
  const drive = await world.open()
  // The first crawl makes calls, too.
  await drive.refresh()
  return { ...world, drive }
}

/** The upload completes, its bytes are the object, also after a refresh, and nothing is left over. */
export async function assertCompletes(
  session: UploadSession,
  { drive, emulator }: Scene,
): Promise<void> {
  assert.ok(await session.complete())
  assert.ok((await get(drive, session.target.key))?.equals(session.bytes))
  await drive.refresh()
  assert.ok((await get(drive, session.target.key))?.equals(session.bytes), 'later')
  assert.deepEqual(leftoversIn(emulator), [])
}
