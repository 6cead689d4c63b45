/** Reads of objects that are overwritten meanwhile. Google does not return earlier revisions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucket, bytesOf, get, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { driveFolder, folderAt, googleWorld } from '../../contract/google-drive-under-test.ts'

test('a read in progress keeps its version when the object is overwritten or removed', async (t) => {
  const { open } = await googleWorld(t)
  const [drive, other] = [await open(), await open()]
  const old = bytesOf(4_000_000, 1)
  for (const change of [() => put(other, 'k', 'new'), () => other.remove(bucket, 'k')]) {
    await put(drive, 'k', old)
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    const chunks: Buffer[] = []
    for await (const chunk of object.read(0, object.size)) {
      if (chunks.length === 0) await change()
      chunks.push(Buffer.from(chunk))
    }
    assert.ok(Buffer.concat(chunks).equals(old))
    await object.close()
  }
})

test('a read of an object edited by hand fails, and succeeds when repeated', async (t) => {
  const { open, emulator } = await googleWorld(t)
  const drive = await open()
  await put(drive, 'k', bytesOf(1000, 1))
  const [file] = emulator.byHand.children(folderAt(emulator, `${driveFolder}/${bucket}`))
  await emulator.byHand.replace(file?.id ?? '', bytesOf(1000, 2))
  await rejectsAs(get(drive, 'k'), 'changed')
  assert.ok((await get(drive, 'k'))?.equals(bytesOf(1000, 2)))
})
