/**
 * A gateway is killed at any call to Google of a CompleteMultipartUpload and restarted: the object
 * is complete, and the repeated CompleteMultipartUpload returns it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { DroppedConnection } from '../fakes/google/call-body.ts'
import { type GoogleEmulator, startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { lastFirst } from '../support/webdav/suite-scope.ts'
import { storedAt } from './google-world.ts'
import { hasCompleted, putCall, uploadParts } from './operations.ts'
import { isSuccess, S3Caller } from './s3-caller.ts'
import { headersOf, type Version, versionInParts, wholeVersion } from './version.ts'

const folder = 'killed'
const old = wholeVersion('old')
const parts = versionInParts('parts', [600_000, 300_001])

/** A gateway in a separate process, which can be killed and restarted. */
class MortalGateway {
  readonly emulator: GoogleEmulator
  readonly #folder: string
  #process: GatewayProcess | undefined
  #death: Promise<void> | undefined

  constructor(emulator: GoogleEmulator, folder: string) {
    this.emulator = emulator
    this.#folder = folder
  }

  get s3(): S3Caller {
    assert.ok(this.#process)
    const { host, credentials } = this.#process
    return new S3Caller({ host, credentials }, testBucket)
  }

  /** Starts it unless it is running. */
  async start(): Promise<void> {
    await this.#death
    const { url, credentials } = this.emulator
    this.#process ??= await startGatewayProcess({
      folder: this.#folder,
      settings: {
        DRIVE: `gdrive:${folder}`,
        GDRIVE_CLIENT_ID: credentials.clientId,
        GDRIVE_CLIENT_SECRET: credentials.clientSecret,
        GDRIVE_REFRESH_TOKEN: credentials.refreshToken,
        GDRIVE_API_URL: url,
        // Only the cases make calls.
        DRIVE_POLL_SECONDS: '3600',
        WORKERS: '1',
        LOG_LEVEL: 'fatal',
      },
    })
  }

  async kill(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#death = promise
    await this.#process?.kill()
    this.#process = undefined
    resolve()
  }

  /** It dies at the call to Google after `skip` others, before or after the call takes effect. */
  dieAt(skip: number, when: 'run' | 'run-after-commit'): void {
    const run = async () => {
      await this.kill()
      throw new DroppedConnection()
    }
    this.emulator.faults.next({ on: 'any', do: when, after: skip, run })
  }
}

async function openGateway(t: TestContext): Promise<MortalGateway> {
  const scope = lastFirst(t)
  const emulator = await startGoogleEmulator()
  scope.after(() => emulator.close())
  const place = mkdtempSync(join(tmpdir(), 'bucketry-killed-'))
  scope.after(() => rmSync(place, { recursive: true, force: true }))
  const gateway = new MortalGateway(emulator, place)
  scope.after(() => gateway.kill())
  await gateway.start()
  return gateway
}

/** Whether the gateway reached the call at which it should die. */
async function diesAndGoesOn(gateway: MortalGateway, one: Case): Promise<boolean> {
  const { step, when, before } = one
  const { emulator } = gateway
  const key = `folder/${when} ${step}`
  if (before !== undefined) assert.ok(isSuccess(await gateway.s3.send(putCall(key, before))))
  const complete = await uploadParts(gateway.s3, key, parts)
  assert.ok(complete)
  gateway.dieAt(step, when)
  const first = await gateway.s3.send(complete)
  const hasDied = emulator.faults.struck.length > 0
  emulator.faults.clear()
  assert.ok(hasCompleted(first) || hasDied)
  await gateway.start()
  // It may have died at a call behind the reply.
  const allowed = hasCompleted(first) ? [parts] : [before, parts]
  if (hasDied) await assertOneOf(gateway, key, allowed)
  const again = await gateway.s3.sendUntil(hasCompleted, complete)
  assert.equal(again.status, 200, `${key}: ${again.body}`)
  assert.ok(again.body.includes(parts.etag), `${key}: ${again.body}`)
  await assertOneOf(gateway, key, [parts])
  const stored = storedAt(emulator, `${folder}/${testBucket}/${key}`)
  assert.deepEqual(stored, [parts.md5], `${key}: the files on Google Drive\n${allFiles(emulator)}`)
  return hasDied
}

/** Where every file is, for the message of a failure. */
function allFiles({ files }: GoogleEmulator): string {
  const lines = [...files.records()].map(([id, { parent, name, isTrashed, content, version }]) =>
    [id, parent, name, isTrashed ? 'in the trash' : 'there', content?.md5, version].join(' '),
  )
  return lines.join('\n')
}

interface Case {
  /** Calls to Google before the last one. */
  readonly step: number
  readonly when: 'run' | 'run-after-commit'
  readonly before: Version | undefined
}

async function assertOneOf(
  { s3 }: MortalGateway,
  key: string,
  allowed: readonly (Version | undefined)[],
): Promise<void> {
  const answer = await s3.send({ method: 'GET', key })
  const found = allowed.find((one) => one?.bytes.equals(answer.body))
  assert.equal(answer.status, found === undefined ? 404 : 200, `${key}: ${answer.status}`)
  assert.ok(allowed.includes(found), `${key}: the object is lost`)
  if (found === undefined) return
  assert.equal(answer.headers.get('etag'), `"${found.etag}"`, key)
  for (const [name, value] of Object.entries(headersOf(found))) {
    assert.equal(answer.headers.get(name), value, `${key}: ${name}`)
  }
}

describe('Complete repeated after the gateway was killed during it', () => {
  for (const before of [undefined, old]) {
    const target = before === undefined ? 'new' : 'replaced'
    test(`publishes the object, ${target}, whichever call it died at`, async (t) => {
      const gateway = await openGateway(t)
      assert.ok(isSuccess(await gateway.s3.send(putCall('folder/anchor', old))))
      let deaths = 0
      for (const when of ['run', 'run-after-commit'] as const) {
        for (let step = 0; await diesAndGoesOn(gateway, { step, when, before }); step++) deaths++
      }
      t.diagnostic(`${deaths} deaths`)
      assert.ok(deaths >= 4, `only ${deaths} deaths`)
    })
  }
})
