/**
 * Each change of a key with versions is stopped at each of its calls that change names, as a kill would do. Then another drive
 * over the folder shows the versions from before the change or after it, and so does a copy without the database.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { shareOf } from '../../../../../support/test-groups.ts'
import { MemoryRecords } from '../memory-records.ts'
import { put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'
import { changes, disturbSteps, historyOf, Scene, states } from './version-scene.ts'

/**
 * Lets only this many calls that change names pass. The others do nothing, as in a process that was killed.
 *
 * @param hasLinks whether the file system has hard links
 */
function killAfter(t: TestContext, passed: number, hasLinks: boolean) {
  let count = 0
  const revive = disturbSteps(t, ['link', 'rename', 'unlink', 'open'], (name) => {
    if (name === 'link' && !hasLinks) throw Object.assign(new Error(), { code: 'EPERM' })
    if (++count > passed) throw new Error('killed')
  })
  return { revive, wasKilled: () => count > passed }
}

const cases = changes.flatMap((change) =>
  states.flatMap((state) => [true, false].map((hasLinks) => ({ change, state, hasLinks }))),
)

for (const { change, state, hasLinks } of shareOf(cases, 7)) {
  const where = `${state.title}${hasLinks ? '' : ', without hard links,'}`
  test(`${change.title} ${where} that is killed leaves the versions of before or after`, async (t) => {
    for (let passed = 0; ; passed++) {
      const scene = new Scene(t)
      const drive = await scene.open()
      for (const text of ['one', 'two', 'three']) await put(drive, 'k', text)
      await state.prepare?.(drive, scene)
      const before = await historyOf(drive)
      const ids = before.slice(0, -1).map((line) => line.split(' ')[0] ?? '')
      const kill = killAfter(t, passed, hasLinks)
      const outcome = await change.run(drive, ids).then(
        () => 'done',
        () => 'failed',
      )
      kill.revive()
      const after = await historyOf(await scene.open())
      if (outcome === 'failed')
        assertNeitherLostNorTwice(before, after, `${change.title} ${passed}`)
      // Without the database, and with other inodes.
      const copy = tempFolder(t)
      execFileSync('cp', ['-a', `${scene.root}/.`, copy])
      assert.deepEqual(await historyOf(await scene.open(copy, new MemoryRecords()), false), after)
      // The next writer continues from there, and removes what is left.
      const next = await scene.open()
      const { versionId } = await put(next, 'k', 'last')
      const former = after.slice(0, -1).map((line) => line.replace(' latest', ''))
      const kept = former.filter((line) => versionId !== 'null' || !line.startsWith('null'))
      assert.deepEqual((await historyOf(next)).slice(1, -1), kept)
      assert.equal((await historyOf(next))[0], `${versionId} last latest`)
      if (!kill.wasKilled()) break
    }
  })
}

/** Either nothing happened, or one version was added or removed, or a version `null` has replaced another. */
function assertNeitherLostNorTwice(
  before: readonly string[],
  after: readonly string[],
  title: string,
) {
  const versions = (lines: readonly string[]) =>
    lines.slice(0, -1).map((line) => line.replace(' latest', ''))
  const [old, now] = [versions(before), versions(after)]
  const where = `${title}: ${JSON.stringify({ before, after })}`
  const ids = now.map((line) => line.split(' ')[0])
  assert.equal(new Set(ids).size, ids.length, where)
  const removes = title.startsWith('the removal')
  const isNull = (line: string) => line.startsWith('null ')
  if (!removes && old.some(isNull)) assert.ok(now.some(isNull), where)
  const isReplaced = (line: string) => !removes && isNull(line) && !now.includes(line)
  const [less, more] = removes ? [now, old] : [old.filter((line) => !isReplaced(line)), now]
  assert.ok(more.length - less.length <= 1, where)
  assert.deepEqual(
    more.filter((line) => less.includes(line)),
    less,
    where,
  )
}
