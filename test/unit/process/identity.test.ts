import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { livenessOf, thisProcess } from '../../../src/process/identity.ts'

const identityModule = new URL('../../../src/process/identity.ts', import.meta.url).href

/** A child that prints its own name and then lives until killed. */
async function startNamedProcess() {
  const script = `import { thisProcess } from ${JSON.stringify(identityModule)}
process.stdout.write(thisProcess + '\\n'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, name: line.toString().trim() }
}

test('livenessOf calls this process alive', () => {
  assert.equal(livenessOf(thisProcess), 'alive')
})

test('livenessOf calls a running process alive and, once killed, dead', async () => {
  const { child, name } = await startNamedProcess()
  assert.notEqual(name, thisProcess)
  assert.equal(livenessOf(name), 'alive')
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(livenessOf(name), 'dead')
})

test('livenessOf calls a process dead whose id was given to another since', () => {
  const [host, pid] = thisProcess.split('/')
  assert.equal(livenessOf(`${host}/${pid}/1`), 'dead')
})

test('livenessOf says elsewhere for other hosts and for what it cannot read', () => {
  for (const name of ['other-host/1/1', '', 'garbage', `${thisProcess.split('/')[0]}/x/1`]) {
    assert.equal(livenessOf(name), 'elsewhere', name)
  }
})
