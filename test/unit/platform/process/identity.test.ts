import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import {
  livenessOf,
  nameOfChild,
  setDiedElsewhere,
  thisProcess,
} from '../../../../src/platform/process/identity.ts'

const identityModule = new URL('../../../../src/platform/process/identity.ts', import.meta.url).href

/** A child that prints its own name and then lives until killed. */
async function startNamedProcess() {
  const script = `import { thisProcess } from ${JSON.stringify(identityModule)}
process.stdout.write(thisProcess + '\\n'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, name: line.toString().trim() }
}

test('livenessOf returns alive for this process', () => {
  assert.equal(livenessOf(thisProcess), 'alive')
})

test('livenessOf returns alive for a running process and dead once it is killed', async () => {
  const { child, name } = await startNamedProcess()
  assert.notEqual(name, thisProcess)
  assert.equal(livenessOf(name), 'alive')
  if (process.platform === 'linux') assert.equal(nameOfChild(child.pid ?? 0), name)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(livenessOf(name), 'dead')
})

test('livenessOf returns dead for a process whose id has been reused', () => {
  const [host, pid] = thisProcess.split('/')
  assert.equal(livenessOf(`${host}/${pid}/1`), 'dead')
})

test('livenessOf returns elsewhere for other hosts and for malformed names', () => {
  for (const name of ['other-host/1/1', '', 'garbage', `${thisProcess.split('/')[0]}/x/1`]) {
    assert.equal(livenessOf(name), 'elsewhere', name)
  }
})

test('livenessOf returns dead for a process of another host that is known to have ended', (t) => {
  t.after(() => setDiedElsewhere([]))
  setDiedElsewhere(['other-host/1/1', thisProcess])
  assert.equal(livenessOf('other-host/1/1'), 'dead')
  assert.equal(livenessOf('other-host/1/2'), 'elsewhere')
  // What can be checked is checked.
  assert.equal(livenessOf(thisProcess), 'alive')
  setDiedElsewhere([])
  assert.equal(livenessOf('other-host/1/1'), 'elsewhere')
})
