import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { testBucket } from '../support/gateway-process.ts'
import { ManagementClient, until } from '../support/management-client.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { fullPartBytes } from './fleet-drive.ts'
import type { FleetMember } from './fleet-member.ts'
import type { Fleet } from './fleet-writers.ts'
import { type BelievedStore, type StoreRequest, send, textOf } from './store.ts'

const racers = 64
const races = 3
const parts = 4
const deleted = 240

/**
 * What happens at the same moment at different gateways, before anything else is disturbed.
 *
 * @param hasConditions whether the drive knows If-None-Match of a write
 */
export async function raceThroughGateways(
  fleet: Fleet,
  store: BelievedStore,
  hasConditions: boolean,
): Promise<void> {
  const creations = hasConditions ? races : 0
  for (let race = 0; race < creations; race += 1) await createOnce(fleet, store, `race/${race}`)
  await uploadThroughAll(fleet, store)
  await writeBehindDeletion(fleet, store)
}

/** A gateway is suspended while it deletes a folder. What is written after others have noticed it stays. */
async function writeBehindDeletion(fleet: Fleet, store: BelievedStore): Promise<void> {
  const [first, other = first] = fleet
  const prefix = 'race/deleted/'
  const keys = Array.from({ length: deleted }, (_, index) => `${prefix}${index}`)
  for (const key of keys) store.ignore(key)
  const putAll = (body: string, members: Fleet | readonly [FleetMember]) =>
    Promise.all(
      keys.map((key, index) => {
        const { server } = members[index % members.length] ?? other
        return send(server, { method: 'PUT', key, body })
      }),
    )
  await putAll('before', fleet)
  const client = await ManagementClient.signIn(first.url)
  const { id } = await client.done('POST', '/file-jobs', {
    ...{ action: 'delete', bucket: testBucket, paths: [prefix] },
  })
  const others = new ManagementClient(other.url, client.token)
  const stateOf = async () => (await others.done('GET', `/file-jobs/${id}`)).state
  const noticed = until(async () => (await stateOf()) === 'done')
  await first.suspend(noticed.then(() => putAll('after', [other])))
  await first.untilReady()
  // It has noticed, too: nothing of the deletion is under way.
  await until(async () => (await client.done('GET', `/file-jobs/${id}`)).state === 'done')
  for (const key of keys) {
    const { body } = await send(other.server, { method: 'GET', key })
    assert.equal(body.toString(), 'after', key)
  }
}

function memberOf(fleet: Fleet, index: number): FleetMember {
  return fleet[index % fleet.length] ?? fleet[0]
}

/** One of many writes under If-None-Match succeeds. */
async function createOnce(fleet: Fleet, store: BelievedStore, key: string): Promise<void> {
  store.ignore(key)
  const headers = { 'if-none-match': '*' }
  const bodies = Array.from({ length: racers }, (_, index) => `racer ${index}`)
  const replies = await Promise.all(
    bodies.map((body, index) => {
      const { server } = memberOf(fleet, index)
      return send(server, { method: 'PUT', key, headers, body, expected: [200, 409, 412] })
    }),
  )
  const winners = bodies.filter((_, index) => replies[index]?.status === 200)
  assert.equal(winners.length, 1, `${winners.length} of ${racers} created ${key}`)
  for (const { server } of fleet) {
    assert.equal((await send(server, { method: 'GET', key })).body.toString(), winners[0])
  }
}

/** A part that has waited too long for the parts before it is sent again, as clients do. */
async function sendPart(member: FleetMember, request: StoreRequest): Promise<void> {
  const { status } = await send(member.server, { ...request, expected: [200, 503] })
  if (status === 503) await sendPart(member, request)
}

/** Parts of one upload arrive at all gateways at once, and then Complete does. */
async function uploadThroughAll(fleet: Fleet, store: BelievedStore): Promise<void> {
  const key = 'race/upload'
  store.ignore(key)
  const [{ server: first }] = fleet
  const created = await send(first, { method: 'POST', key, query: 'uploads=' })
  const uploadId = textOf(created.body.toString(), 'UploadId')
  const bytes = testBytes(key, parts * fullPartBytes)
  const bodies = Array.from({ length: parts }, (_, index) =>
    bytes.subarray(index * fullPartBytes, (index + 1) * fullPartBytes),
  )
  await Promise.all(
    bodies.map((body, index) => {
      const query = `partNumber=${index + 1}&uploadId=${uploadId}`
      return sendPart(memberOf(fleet, index), { method: 'PUT', key, query, body })
    }),
  )
  const list = bodies.map(
    (body, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${md5Of(body)}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
  const query = `uploadId=${uploadId}`
  const completed = await Promise.all(
    fleet.map(({ server }) => send(server, { method: 'POST', key, query, body })),
  )
  const digests = bodies.map((one) => createHash('md5').update(one).digest())
  for (const reply of completed) {
    const etag = `${md5Of(Buffer.concat(digests))}-${parts}`
    assert.ok(textOf(reply.body.toString(), 'ETag').includes(etag), reply.body.toString())
  }
  for (const { server } of fleet) {
    assert.ok((await send(server, { method: 'GET', key })).body.equals(bytes), 'other bytes')
  }
}
