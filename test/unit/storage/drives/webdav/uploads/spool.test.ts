import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { UnsizedFile } from '../../../../../../src/storage/drives/webdav/objects/unsized-file.ts'
import { Spool } from '../../../../../../src/storage/drives/webdav/uploads/spool.ts'

const kib = 1024
const maxBytes = 1_000 * kib

function spoolOf(t: TestContext): Spool {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-spool-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return new Spool({ folder, maxBytes })
}

function isBusy(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'busy'
}

function isFull(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'full'
}

const outcome = (work: Promise<void>) =>
  work.then(
    () => 'taken',
    (error: unknown) => (isBusy(error) ? 'busy' : String(error)),
  )

describe('Spool', () => {
  it('grants its space once to concurrent claims', async (t) => {
    const spool = spoolOf(t)
    const claims = Array.from({ length: 5 }, () => spool.claim({ isNameless: false }))
    const outcomes = await Promise.all(
      claims.map((claim) => outcome(claim.take(1 * kib, 800 * kib))),
    )
    // Either each is refused because of the others, or one of them gets the space.
    assert.ok(outcomes.filter((one) => one === 'taken').length <= 1, String(outcomes))
    for (const claim of claims) claim.end()
    assert.equal(
      await outcome(spool.claim({ isNameless: false }).take(1 * kib, 800 * kib)),
      'taken',
    )
  })

  it('counts undeclared bytes as they arrive', async (t) => {
    const spool = spoolOf(t)
    const [one, other] = [true, false].map((isNameless) => spool.claim({ isNameless }))
    assert.ok(one && other)
    for (let time = 1; time <= 5; time++) {
      await Promise.all([one.take(100 * kib, 0), other.take(100 * kib, 0)])
      writeFileSync(join(spool.folder, 'of the other'), Buffer.alloc(time * 100 * kib))
    }
    await assert.rejects(one.take(100 * kib, 0), isBusy)
  })

  it('counts bytes on the disk once, whoever wrote them', async (t) => {
    const spool = spoolOf(t)
    mkdirSync(join(spool.folder, 'a/b'), { recursive: true })
    writeFileSync(join(spool.folder, 'a/b/of another process'), Buffer.alloc(500 * kib))
    const claim = spool.claim({ isNameless: false })
    for (let written = 0; written < 400 * kib; written += 100 * kib) {
      await claim.take(100 * kib, 400 * kib)
      writeFileSync(join(spool.folder, 'mine'), Buffer.alloc(written + 100 * kib))
    }
    claim.end()
    const next = spool.claim({ isNameless: false })
    await assert.rejects(next.take(1 * kib, 200 * kib), isBusy)
    next.end()
    rmSync(join(spool.folder, 'mine'))
    assert.equal(
      await outcome(spool.claim({ isNameless: false }).take(1 * kib, 500 * kib)),
      'taken',
    )
  })

  it('ends a part when other processes have used the space', async (t) => {
    const spool = spoolOf(t)
    const claim = spool.claim({ isNameless: false })
    await claim.take(100 * kib, 400 * kib)
    writeFileSync(join(spool.folder, 'of another process'), Buffer.alloc(2_000 * kib))
    const now = performance.now()
    t.mock.method(performance, 'now', () => now + 5_000)
    await assert.rejects(claim.take(100 * kib, 400 * kib), isBusy)
  })

  it('tolerates folders that appear and disappear during a measurement, and a missing one', async (t) => {
    const spool = spoolOf(t)
    let isOver = false
    const churn = async (name: string) => {
      while (!isOver) {
        await mkdir(join(spool.folder, name, 'deep'), { recursive: true })
        await rm(join(spool.folder, name), { recursive: true })
      }
    }
    const churning = ['a', 'b', 'c', 'd'].map(churn)
    try {
      for (let look = 0; look < 300; look++) {
        const claim = spool.claim({ isNameless: false })
        // More than fits: it measures once more before it refuses.
        await assert.rejects(claim.take(1, maxBytes + 1), isFull)
        claim.end()
      }
    } finally {
      isOver = true
      await Promise.all(churning)
    }
    rmSync(spool.folder, { recursive: true })
    assert.equal(await outcome(spool.claim({ isNameless: false }).take(1 * kib, 1 * kib)), 'taken')
  })

  it('grants objects of unknown size the remaining space, and reclaims it', async (t) => {
    const spool = spoolOf(t)
    const [first, second] = [await UnsizedFile.create(spool), await UnsizedFile.create(spool)]
    await first.write(Buffer.alloc(600 * kib))
    await assert.rejects(second.write(Buffer.alloc(600 * kib)), isBusy)
    await second.close()
    await first.close()
    const third = await UnsizedFile.create(spool)
    t.after(() => third.close())
    await third.write(Buffer.alloc(1_000 * kib))
  })

  it('sweeps names left by a process that died', async (t) => {
    const spool = spoolOf(t)
    writeFileSync(join(spool.folder, 'unsized-x'), 'x')
    writeFileSync(join(spool.folder, 'other'), 'x')
    await spool.sweep()
    assert.deepEqual(readdirSync(spool.folder), ['other'])
  })
})
