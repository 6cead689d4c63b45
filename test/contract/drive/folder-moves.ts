import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import type { FolderMoveOptions } from '../../../src/storage/drives/folder-calls.ts'
import { isLegalKey } from '../../../src/storage/drives/kit/names/key-path.ts'
import { trashBucketOf } from '../../../src/storage/drives/trash-bucket.ts'
import { type DriveSuite, type DriveUnderTest, twoDrives } from './drive-suite.ts'
import { bucket, bytesOf, get, getText, listKeys, put, sortedKeys } from './stored-object.ts'

const plain = { beforeMove: async () => undefined, assertMayGoOn: () => undefined }

async function move(drive: Drive, from: string, to: string, more: Partial<FolderMoveOptions> = {}) {
  const [source, target] = [from, to].map((key) => ({ bucket, key })) as [
    typeof place,
    typeof place,
  ]
  return await drive.moveFolder?.(source, target, { ...plain, ...more })
}
const place = { bucket, key: '' }

/** A drive of several drives has the method also where none of them moves folders. */
async function movesFolders(drive: Drive): Promise<boolean> {
  await put(drive, 'probe/1', 'x')
  const moved = await move(drive, 'probe/', 'probed/')
  await drive.remove(bucket, moved === undefined ? 'probe/1' : 'probed/1')
  return moved !== undefined
}

/** Folders move with everything in them in one step, on drives that can do that. */
export function folderMoveCases(suite: DriveSuite): void {
  describe('folder moves', () => {
    const itIfMoves = (what: string, work: (under: DriveUnderTest) => Promise<void>) =>
      suite.it(what, async (under) => {
        if (await movesFolders(under.drive)) await work(under)
      })

    itIfMoves(
      'objects keep times, ETags and attributes, and all their names',
      async ({ drive }) => {
        const from = 'd/é %/'
        const keys = suite.beside(['1', 'in/2', 'in', ...suite.sampledKeys])
        const fitting = sortedKeys(new Set(keys)).filter(
          (key) =>
            isLegalKey(`new/deep/${from}${key}`) &&
            // On Google Drive, a file in so many folders has a part of its path in its name.
            (drive.kind !== 'gdrive' || key.split('/').length < 70),
        )
        const before = new Map<string, unknown>()
        for (const [number, key] of fitting.entries()) {
          await put(drive, from + key, bytesOf(100 + number))
          before.set(key, await drive.head(bucket, from + key))
        }
        await put(drive, 'd/other', 'stays')
        assert.equal(await move(drive, from, 'new/deep/er/'), fitting.length)
        assert.deepEqual(await listKeys(drive), [
          'd/other',
          ...sortedKeys(fitting.map((key) => `new/deep/er/${key}`)),
        ])
        for (const [number, key] of fitting.entries()) {
          assert.deepEqual(await drive.head(bucket, `new/deep/er/${key}`), before.get(key))
          assert.ok((await get(drive, `new/deep/er/${key}`))?.equals(bytesOf(100 + number)))
          assert.equal(await drive.head(bucket, from + key), undefined)
        }
      },
    )

    itIfMoves('the folders that keys have made go when they are empty', async ({ drive }) => {
      await put(drive, 'a/b/c/1', 'one')
      assert.equal(await move(drive, 'a/b/c/', 'x/y/z/'), 1)
      assert.equal(await getText(drive, 'x/y/z/1'), 'one')
      await drive.remove(bucket, 'x/y/z/1')
      await suite.assertEmpty(drive)
    })

    itIfMoves(
      'nothing is moved to a folder with content, into itself or from nowhere',
      async ({ drive }) => {
        const all = ['a/1', 'a/b/2', 'c/3']
        for (const key of all) await put(drive, key, key)
        for (const [from, to] of [
          ['a/', 'c/'],
          ['a/', 'a/b/c/'],
          ['a/b/', 'a/'],
          ['none/', 'x/'],
        ] as const) {
          assert.equal(await move(drive, from, to), undefined, `${from} ${to}`)
        }
        assert.deepEqual(await listKeys(drive), all)
      },
    )

    itIfMoves('nothing is moved if a key would get too long', async ({ drive }) => {
      const key = `a/${`${'k'.repeat(99)}/`.repeat(9)}k`
      await put(drive, key, 'long')
      assert.equal(await move(drive, 'a/', `${'b'.repeat(200)}/`), undefined)
      assert.equal(await getText(drive, key), 'long')
    })

    itIfMoves(
      'what stands in the way of the new folder is aside, and comes back',
      async ({ drive }) => {
        if (!suite.can('anyKeys')) return
        for (const key of ['a', 'a/1', 'b']) await put(drive, key, key)
        assert.equal(await move(drive, 'a/', 'b/'), 1)
        assert.deepEqual(await listKeys(drive), ['a', 'b', 'b/1'])
        for (const key of ['a', 'b']) assert.equal(await getText(drive, key), key)
      },
    )

    itIfMoves('a folder goes to the trash and comes back', async ({ drive }) => {
      if (!drive.trashes?.(bucket)) return
      const trash = { bucket: trashBucketOf(bucket), key: 'id/a/' }
      await drive.addBucket(trash.bucket)
      for (const key of ['a/1', 'a/b/2']) await put(drive, key, key)
      const before = await drive.head(bucket, 'a/b/2')
      assert.equal(await drive.moveFolder?.({ bucket, key: 'a/' }, trash, plain), 2)
      assert.deepEqual(await listKeys(drive), [])
      assert.deepEqual(await listKeys(drive, {}, trash.bucket), ['id/a/1', 'id/a/b/2'])
      assert.equal(await drive.moveFolder?.(trash, { bucket, key: 'a/' }, plain), 2)
      assert.deepEqual(await drive.head(bucket, 'a/b/2'), before)
      assert.deepEqual(await listKeys(drive, {}, trash.bucket), [])
    })

    itIfMoves('a repeated move does not move twice', async (under) => {
      const [drive, other] = await twoDrives(under)
      await put(drive, 'a/1', 'one')
      let earlier: string | undefined
      const beforeMove = async (identity: string) => {
        earlier = identity
      }
      assert.equal(await move(drive, 'a/', 'b/', { beforeMove }), 1)
      await put(drive, 'a/2', 'two')
      assert.equal(await move(other, 'a/', 'b/', { earlier }), 1)
      assert.equal(await move(other, 'b/', 'c/'), 1)
      // Somebody else has moved it since.
      assert.equal(await move(drive, 'a/', 'b/', { earlier }), 0)
      assert.deepEqual(await listKeys(drive), ['a/2', 'c/1'])
    })

    itIfMoves('a move that may not begin leaves everything as it is', async (under) => {
      const { drive } = under
      await put(drive, 'a/1', 'one')
      const stop = new DriveError('denied', 'stopped')
      const ways: Partial<FolderMoveOptions>[] = [
        { beforeMove: () => Promise.reject(stop) },
        {
          assertMayGoOn() {
            throw stop
          },
        },
      ]
      for (const way of ways) await assert.rejects(move(drive, 'a/', 'b/c/', way), stop)
      assert.deepEqual(await listKeys(drive), ['a/1'])
      await drive.remove(bucket, 'a/1')
      await suite.assertEmpty(drive)
    })

    itIfMoves('no write to the folder is lost, and no read finds neither', async (under) => {
      const [drive, other] = await twoDrives(under)
      await put(drive, 'f/known', 'known')
      const rounds = suite.tries(30)
      let isOver = false
      const written: string[] = []
      const write = async (writer: Drive, name: string) => {
        for (let number = 0; !isOver; number += 1) {
          const key = `f/${number % 3}/${name}-${number}`
          const conditions = number % 2 === 0 ? ({ ifNoneMatch: '*' } as const) : {}
          await put(writer, key, key, { conditions })
          written.push(key)
        }
      }
      const read = async (round: number) => {
        const keys = [`f/known`, `to-${round}/known`]
        // In this order: the second name exists before the first one is gone.
        for (const key of keys) if ((await drive.head(bucket, key)) !== undefined) return
        assert.fail(`neither in round ${round}`)
      }
      const writers = [write(drive, 'a'), write(other, 'b'), write(other, 'c')]
      for (let round = 0; round < rounds; round += 1) {
        const moving = move(drive, 'f/', `to-${round}/`)
        await Promise.all([moving, read(round), read(round)])
        const isMoved = (await moving) !== undefined
        if (isMoved) await put(other, 'f/known', 'known')
      }
      isOver = true
      await Promise.all(writers)
      const found = (await listKeys(drive)).filter((key) => !key.endsWith('/known'))
      const names = found.map((key) => key.slice(key.indexOf('/') + 1)).sort()
      assert.deepEqual(names, written.map((key) => key.slice(2)).sort())
      for (const key of found)
        assert.equal((await getText(drive, key))?.slice(2), key.slice(key.indexOf('/') + 1))
    })
  })
}
