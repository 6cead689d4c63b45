/**
 * The drive is full from each step of each change of a key with versions on: what adds a name or bytes fails. All versions
 * remain, and the same drive continues when there is room again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { unfinishedFiles } from '../../../../../support/gateway-process.ts'
import { shareOf } from '../../../../../support/test-groups.ts'
import { put } from '../open-drive.ts'
import { changes, disturbSteps, historyOf, Scene, states } from './version-scene.ts'

const cases = changes.flatMap((change) =>
  states.flatMap((state) => [true, false].map((hasLinks) => ({ change, state, hasLinks }))),
)

for (const { change, state, hasLinks } of shareOf(cases, 7)) {
  const where = `${state.title}${hasLinks ? '' : ', without hard links,'}`
  test(`${change.title} ${where} on a full drive keeps all versions`, async (t) => {
    for (let passed = 0; ; passed++) {
      const scene = new Scene(t)
      const drive = await scene.open()
      for (const text of ['one', 'two', 'three']) await put(drive, 'k', text)
      await state.prepare?.(drive, scene)
      const before = await historyOf(drive)
      const ids = before.slice(0, -1).map((line) => line.split(' ')[0] ?? '')
      let count = 0
      const makeRoom = disturbSteps(t, ['link', 'rename', 'open', 'write'], (name) => {
        if (name === 'link' && !hasLinks) throw Object.assign(new Error(), { code: 'EPERM' })
        if (++count > passed) throw Object.assign(new Error(), { code: 'ENOSPC' })
      })
      const failure = await change.run(drive, ids).then(
        () => undefined,
        (error) => error,
      )
      makeRoom()
      if (failure !== undefined) {
        assert.ok(failure instanceof DriveError, failure)
        assert.equal(failure.kind, 'full')
        assert.deepEqual(await historyOf(drive), before, `${passed} steps`)
      }
      const { versionId } = await put(drive, 'k', 'last')
      const history = await historyOf(drive)
      assert.equal(history[0], `${versionId} last latest`)
      assert.deepEqual(await historyOf(await scene.open()), history)
      assert.deepEqual(unfinishedFiles(scene.root), [], `${passed} steps`)
      if (count <= passed) break
    }
  })
}
