import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { UsageError } from '../../../../../src/app/cli/command.ts'
import { asServer } from '../../../../../src/app/cli/commands/server.ts'

const call = { environment: {}, buckets: undefined, operands: [], options: {} }
const image = { DATA_DIR: '/data', DRIVE: 'file:/data/drive', HOST: '0.0.0.0', PORT: '9000' }

test('the folder is DATA_DIR, and the default drive is in it', () => {
  for (const environment of [{}, image]) {
    const served = asServer({ ...call, environment, operands: ['/export'] })
    assert.equal(served.environment.DATA_DIR, '/export')
    assert.equal(served.environment.DRIVE, 'file:/export/drive')
  }
})

test('another drive stays', () => {
  for (const DRIVE of ['file:/drive', 'gdrive:Work']) {
    const served = asServer({ ...call, environment: { DRIVE }, operands: ['/export'] })
    assert.equal(served.environment.DRIVE, DRIVE)
  }
})

test('without a folder, settings and image decide', () => {
  assert.deepEqual(asServer({ ...call, environment: image }).environment, image)
})

test('an address is HOST and PORT', () => {
  const hostAndPort = (address: string) => {
    const { HOST, PORT } = asServer({
      ...call,
      environment: image,
      options: { address },
    }).environment
    return [HOST, PORT]
  }
  assert.deepEqual(hostAndPort(':9100'), ['0.0.0.0', '9100'])
  assert.deepEqual(hostAndPort('127.0.0.1:9100'), ['127.0.0.1', '9100'])
  assert.deepEqual(hostAndPort('[::1]:9100'), ['::1', '9100'])
  assert.throws(() => hostAndPort('9100'), UsageError)
})

test('an address of the console is one more for the dashboard', () => {
  const { environment } = asServer({ ...call, options: { 'console-address': ':9001' } })
  assert.equal(environment.DASHBOARD_ADDRESS, ':9001')
  const options = { 'console-address': '9001' }
  assert.throws(() => asServer({ ...call, options }), UsageError)
})

test('a folder of certificates is TLS_CERT and TLS_KEY, if it has some', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-certs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const environment = () => asServer({ ...call, options: { 'certs-dir': folder } }).environment
  assert.deepEqual(environment(), {})
  writeFileSync(join(folder, 'public.crt'), '')
  const [TLS_CERT, TLS_KEY] = [join(folder, 'public.crt'), join(folder, 'private.key')]
  assert.deepEqual(environment(), { TLS_CERT, TLS_KEY })
})

test('options that only change the output of MinIO have no effect, which is said', () => {
  const { warnings = [] } = asServer({ ...call, options: { quiet: true, json: true } })
  assert.deepEqual(warnings, ['--quiet, --json: no effect here'])
})

test('folders of several disks, and those of MinIO, are refused', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-minio-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, '.minio.sys'))
  for (const operands of [['/data{1...4}'], [folder], ['/a', '/b'], ['http://minio:9000/data']]) {
    assert.throws(() => asServer({ ...call, operands }), UsageError)
  }
})
