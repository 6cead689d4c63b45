import type { RequestShape } from '../load.ts'
import { mebibyte, type Scenario } from '../scenario.ts'
import { bucketry, bucketryRelaxed, raw, rawDurable, versitygw } from '../server-kinds.ts'
import { throughputScenario } from './throughput.ts'

const smallBytes = 1024
const largeBytes = 64 * mebibyte
const hugeBytes = 1024 * mebibyte
const rangeBytes = 64 * 1024

const smallKeys = Array.from({ length: 1000 }, (_, index) => `object-${index}`)
const largeKeys = Array.from({ length: 4 }, (_, index) => `large-${index}`)
const get = (key: string): RequestShape => ({ method: 'GET', key })
const head = (key: string): RequestShape => ({ method: 'HEAD', key })
const putSmall = (key: string): RequestShape => ({ method: 'PUT', key, bodyBytes: smallBytes })
const putLarge = (key: string): RequestShape => ({ method: 'PUT', key, bodyBytes: largeBytes })
const putChunked = (key: string): RequestShape => ({ ...putLarge(key), isChunked: true })

/** Ranges all over an object. A step that shares no divisor with their number visits each of them. */
const ranges = Array.from({ length: 1000 }, (_, index): RequestShape => {
  const start = ((index * 7919) % (hugeBytes / rangeBytes)) * rangeBytes
  const range = `bytes=${start}-${start + rangeBytes - 1}`
  return { method: 'GET', key: 'huge', headers: { range } }
})

const small = { connections: 32, preparation: smallKeys.map(putSmall), bytesPerRequest: smallBytes }
/** Ahead of a server that never syncs. */
const relaxed = {
  leastRate: { of: versitygw, share: 1 },
  mostCpu: { of: versitygw, share: 1 },
  among: [bucketryRelaxed, bucketry, versitygw, raw],
} as const
const large = { bytesPerRequest: largeBytes }

export const requestScenarios: readonly Scenario[] = [
  throughputScenario({
    name: 'get-small',
    question: 'How many signed GETs of 1 KiB per second?',
    leastRate: { of: raw, share: 0.6 },
    mostCpu: { of: raw, share: 1.4 },
    ...small,
    shapes: smallKeys.map(get),
  }),
  throughputScenario({
    name: 'head-small',
    question: 'How many signed HEADs per second?',
    mostCpu: { of: raw, share: 1.5 },
    ...small,
    shapes: smallKeys.map(head),
  }),
  throughputScenario({
    name: 'get-range',
    question: 'How many ranges of 64 KiB of an object of 1 GiB per second?',
    mostCpu: { of: raw, share: 1.4 },
    connections: 32,
    preparation: [{ method: 'PUT', key: 'huge', bodyBytes: hugeBytes }],
    shapes: ranges,
    bytesPerRequest: rangeBytes,
  }),
  throughputScenario({
    name: 'get-large',
    question: 'How fast are GETs of 64 MiB, 4 at once?',
    leastRate: { of: raw, share: 0.9 },
    mostCpu: { of: raw, share: 1 },
    connections: 4,
    preparation: largeKeys.map(putLarge),
    shapes: largeKeys.map(get),
    ...large,
  }),
  throughputScenario({
    name: 'put-small',
    question: 'How many durable signed PUTs of 1 KiB per second?',
    leastRate: { of: rawDurable, share: 0.8 },
    mostCpu: { of: rawDurable, share: 1.25 },
    ...small,
    shapes: smallKeys.map(putSmall),
  }),
  throughputScenario({
    name: 'put-small-memory',
    question: 'How many signed PUTs of 1 KiB per second on a file system in memory?',
    leastRate: { of: versitygw, share: 1 },
    mostCpu: { of: rawDurable, share: 1.25 },
    ...small,
    shapes: smallKeys.map(putSmall),
    isInMemory: true,
  }),
  throughputScenario({
    name: 'put-relaxed',
    question: 'How many signed PUTs of 1 KiB per second if none waits for a sync?',
    ...{ ...relaxed, ...small, shapes: smallKeys.map(putSmall) },
  }),
  throughputScenario({
    name: 'put-relaxed-memory',
    question: 'How many signed PUTs of 1 KiB per second in memory if none waits for a sync?',
    ...{ ...relaxed, ...small, shapes: smallKeys.map(putSmall), isInMemory: true },
  }),
  throughputScenario({
    name: 'put-large-1',
    question: 'How fast are durable PUTs of 64 MiB, one after the other?',
    leastRate: { of: rawDurable, share: 1.5 },
    connections: 1,
    shapes: largeKeys.map(putLarge),
    ...large,
  }),
  throughputScenario({
    name: 'put-large-sdk',
    question: 'How fast are they as SDKs send them: aws-chunked with a CRC32 trailer, over TLS?',
    leastRate: { of: rawDurable, share: 1.5 },
    connections: 1,
    shapes: largeKeys.map(putChunked),
    ...large,
    isTls: true,
  }),
  throughputScenario({
    name: 'put-large',
    question: 'How fast are durable PUTs of 64 MiB, 4 at once?',
    leastRate: { of: rawDurable, share: 1.5 },
    connections: 4,
    shapes: largeKeys.map(putLarge),
    ...large,
  }),
  throughputScenario({
    name: 'put-large-memory',
    question: 'How fast are PUTs of 64 MiB, 4 at once, on a file system in memory?',
    connections: 4,
    shapes: largeKeys.map(putLarge),
    ...large,
    isInMemory: true,
  }),
]
